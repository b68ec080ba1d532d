// The keys of two gateways on one Postgres, with real processes: one list, told to both at once, and how often and how many at the
// same time a key may ask holds over both together.

import { afterEach, describe, expect, it, vi } from "vitest";
import { runTutti } from "../../testing/command.ts";
import { startScene } from "../../testing/gateway/served.ts";
import { createTestDatabase, noPostgres, POSTGRES, readTables } from "../../testing/stores.ts";
import { openKeyRing } from "../access/keys.ts";

// Processes take seconds to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const SOON = { timeout: 60_000, interval: 50 };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (let close = closing.pop(); close; close = closing.pop()) await close();
});

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const question = (text: string) => ({ model: "stub/alpha", messages: [{ role: "user", content: text }] });

async function startTwo(reply: Parameters<typeof startScene>[1] = () => "done") {
  const scene = await startScene(closing, reply);
  const ring = openKeyRing({ env: { TUTTI_HOME: scene.home } });
  const { secret: admin } = await ring.create({ name: "admin", isAdmin: true });
  const address = await createTestDatabase();
  const args = ["--postgres", address];
  const gateways = await Promise.all([scene.serve({ args }), scene.serve({ args })]);
  const keys = (...rest: string[]) =>
    runTutti(["keys", ...rest], {
      cwd: scene.home,
      env: { TUTTI_HOME: scene.home, TUTTI_POSTGRES_URL: address },
    });
  const ask = (at: number, secret: string, text = "Hello?") =>
    gateways[at % 2]!.post("/v1/chat/completions", question(text), bearer(secret));
  return { ...scene, admin, address, gateways, keys, ask };
}

describe.skipIf(!POSTGRES)(`keys of two gateways on one Postgres${noPostgres}`, () => {
  it("are those of the file at first, are made and revoked at any of them, and are told to all", async () => {
    const { admin, address, gateways, keys, ask, home } = await startTwo();
    for (const at of [0, 1]) expect((await ask(at, admin)).status).toBe(200);
    const made = await gateways[0]!.post("/v1/keys", { name: "ci", requestsPerMinute: 1_000 }, bearer(admin));
    const { secret, key } = (await made.json()) as { secret: string; key: { id: string } };
    await expect.poll(async () => (await ask(1, secret)).status, SOON).toBe(200);
    const url = `${gateways[1]!.url}/v1/keys/${key.id}`;
    expect((await fetch(url, { method: "DELETE", headers: bearer(admin) })).status).toBe(200);
    expect((await ask(1, secret)).status).toBe(401);
    await expect.poll(async () => (await ask(0, secret)).status, SOON).toBe(401);

    const created = await keys("create", "--postgres", "--name", "by command");
    expect(created.code).toBe(0);
    const other = created.stdout.trim();
    await expect.poll(async () => (await ask(0, other)).status, SOON).toBe(200);
    expect((await keys("--postgres")).stdout).toMatch(/ci .*revoked[\s\S]*by command .*active/);
    expect((await keys("revoke", "by command", "--postgres")).code).toBe(0);
    for (const at of [0, 1]) await expect.poll(async () => (await ask(at, other)).status, SOON).toBe(401);

    // The file is another list now, until it is taken over.
    const { secret: late } = await openKeyRing({ env: { TUTTI_HOME: home } }).create({ name: "late" });
    expect((await ask(0, late)).status).toBe(401);
    expect((await keys("import", "--postgres")).stdout).toMatch(/^Took 1 key over\.\n {2}late /);
    await expect.poll(async () => (await ask(1, late)).status, SOON).toBe(200);

    const said = JSON.stringify(await readTables(address, "tutti"));
    for (const each of [admin, secret, other, late]) {
      expect(said).not.toContain(each);
      expect(said).not.toContain(each.slice("sk-tutti-".length, -4));
    }
  });

  it("may ask so many times a minute at both together, and so many at the same time", async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { admin, gateways, ask, asked } = await startTwo(async ({ messages }) => {
      if (JSON.stringify(messages).includes("wait")) await opened;
      return "done";
    });
    const create = async (settings: object) => {
      const made = await gateways[0]!.post("/v1/keys", settings, bearer(admin));
      const { secret } = (await made.json()) as { secret: string };
      await expect
        .poll(
          async () => (await fetch(`${gateways[1]!.url}/v1/usage`, { headers: bearer(secret) })).status,
          SOON,
        )
        .toBe(200);
      return secret;
    };
    const often = await create({ name: "often", requestsPerMinute: 7 });
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, at) => ask(at, often, `Question ${at}`)),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(7);
    const refused = replies.find(({ status }) => status === 429)!;
    expect(refused.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(30);
    expect(asked("alpha")).toBe(7);

    const few = await create({ name: "few", concurrency: 2 });
    const running = [0, 1].map((at) => ask(at, few, `wait ${at}`));
    await expect.poll(() => asked("alpha"), SOON).toBe(9);
    for (const at of [0, 1]) expect((await ask(at, few)).status).toBe(429);
    open();
    for (const each of running) expect((await each).status).toBe(200);
    for (const at of [0, 1]) expect((await ask(at, few)).status).toBe(200);
  });

  it("have their places back from a gateway that was killed", async () => {
    const { admin, gateways, ask, asked } = await startTwo(({ messages }) =>
      JSON.stringify(messages).includes("for ever") ? { hang: true } : "done",
    );
    const made = await gateways[0]!.post("/v1/keys", { name: "one", concurrency: 1 }, bearer(admin));
    const { secret } = (await made.json()) as { secret: string };
    const lost = ask(0, secret, "for ever").catch(() => "lost");
    await expect.poll(() => asked("alpha"), SOON).toBe(1);
    await expect.poll(async () => (await ask(1, secret)).status, SOON).toBe(429);
    gateways[0]!.signal("SIGKILL");
    expect(await lost).toBe("lost");
    await expect.poll(async () => (await ask(1, secret)).status, SOON).toBe(200);
  });
});
