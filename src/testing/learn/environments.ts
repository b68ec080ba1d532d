// Environments for tests, over real sockets, on sums; closed after each test.

import { join } from "node:path";
import { afterEach } from "vitest";
import {
  type EnvironmentOptions,
  type EnvironmentServer,
  startEnvironment,
} from "../../environment/server.ts";
import { createFiles } from "../temporary-files.ts";
import { createSumsFinder } from "./sums-finder.ts";

/** Call it once in a file of tests. Each environment has a journal of its own. */
export function useEnvironments() {
  const files = createFiles();
  const running: EnvironmentServer[] = [];
  let count = 0;
  afterEach(async () => {
    await Promise.all(running.splice(0).map((environment) => environment.close()));
  });
  return async function start(options: Partial<EnvironmentOptions> = {}): Promise<EnvironmentServer> {
    const journal = join(files.folder, `${count++}`, "rollouts.jsonl");
    const environment = await startEnvironment({ finder: createSumsFinder(), journal, ...options });
    running.push(environment);
    return environment;
  };
}
