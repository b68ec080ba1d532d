// Several machines for tests: processes of the built command that share a folder, a provider on loopback and a Postgres.

import { createHome, type Finished, type StartedCommand, startTutti } from "./command.ts";

export interface Machines {
  folder: string;
  /** `address`: TUTTI_POSTGRES_URL of the process. */
  start(address: string | undefined, ...args: string[]): StartedCommand;
  run(address: string | undefined, ...args: string[]): Promise<Finished>;
  /** `tutti work`, once it takes calls. */
  startWork(address: string, ...args: string[]): Promise<StartedCommand>;
  /** Ends those that still run. */
  end(): Promise<void>;
}

export function createMachines(): Machines {
  const folder = createHome();
  const started: StartedCommand[] = [];
  function start(address: string | undefined, ...args: string[]): StartedCommand {
    const env: Record<string, string> = { TUTTI_HOME: folder };
    if (address) env.TUTTI_POSTGRES_URL = address;
    const command = startTutti(args, { env, cwd: folder });
    started.push(command);
    return command;
  }
  return {
    folder,
    start,
    run: (address, ...args) => start(address, ...args).finished,
    async startWork(address, ...args) {
      const work = start(address, "work", "--json", ...args);
      await new Promise<void>((resolve, reject) => {
        work.child.stdout!.on("data", (text: string) => text.includes('"ready"') && resolve());
        void work.finished.then(({ stderr }) => reject(new Error(stderr)));
      });
      return work;
    },
    async end() {
      for (const { child, finished } of started.splice(0)) {
        child.kill("SIGKILL");
        await finished;
      }
    },
  };
}
