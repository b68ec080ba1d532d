// `tutti runs` about the journal of several gateways.

import { expect, it, vi } from "vitest";
import { openPostgresStore } from "../../store/postgres/store.ts";
import { runTutti } from "../../testing/command.ts";
import { runEnd, runStart } from "../../testing/events.ts";
import { createTestDatabase, noPostgres, POSTGRES } from "../../testing/stores.ts";

// Processes take seconds to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

it.skipIf(!POSTGRES)(
  `is about the Postgres that --postgres names, whatever the config says${noPostgres}`,
  async () => {
    const address = await createTestDatabase();
    const store = await openPostgresStore(address);
    await store.append([runStart("r_shared"), runEnd("r_shared", "it is there")]);
    await store.close();
    const env = { TUTTI_POSTGRES_URL: address };
    const here = await runTutti(["runs"], { env });
    expect(here.stdout).toContain("No runs yet");
    expect(here.stderr).toContain(
      "This is the journal of this machine. That in TUTTI_POSTGRES_URL: --postgres",
    );
    const listed = await runTutti(["runs", "--json", "--postgres"], { env });
    expect(listed.stderr).toBe("");
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: "r_shared", state: "ended" }]);
    const shown = await runTutti(["runs", "show", "r_sha", "--postgres", address]);
    expect(shown.stdout).toContain("it is there");
    const exported = await runTutti(["runs", "--postgres", address, "export", "--jsonl"]);
    expect(JSON.parse(exported.stdout)).toMatchObject({ run_id: "r_shared", answer: "it is there" });
    const swallowed = await runTutti(["runs", "delete", "--postgres", "r_sha", "r_sha"], { env });
    expect(swallowed).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not "r_sha". Without an address write it last'),
    });
  },
);
