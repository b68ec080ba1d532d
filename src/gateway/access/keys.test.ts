import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createHome } from "../../testing/command.ts";
import type { Pool } from "../../worker/types.ts";
import { type GatewayKey, isAllowed, type KeyRing, openKeyRing, restrictPool } from "./keys.ts";

const START = Date.UTC(2026, 10, 17);
const homes: string[] = [];
let home: string;
let file: string;
let clock: number;
let ring: KeyRing;
const now = () => clock;
const open = () => openKeyRing({ env: { TUTTI_HOME: home }, now });

beforeEach(() => {
  home = createHome();
  homes.push(home);
  file = join(home, "keys.json");
  clock = START;
  ring = open();
});
afterAll(() => {
  for (const path of homes) rmSync(path, { recursive: true, force: true });
});

describe("a new key", () => {
  it("is found by its secret, and only by it", async () => {
    const { key, secret } = await ring.create({ name: "ci" });
    expect(key.id).toMatch(/^key_[0-9a-z]{8}$/);
    expect(secret).toMatch(/^sk-tutti-[\w-]{43}$/);
    expect(secret.endsWith(key.hint)).toBe(true);
    expect(ring.find(secret)).toEqual(key);
    expect(open().find(secret)).toEqual(key);
    const other = secret.slice(0, -1) + (secret.endsWith("A") ? "E" : "A");
    expect(() => ring.find(other)).toThrow(expect.objectContaining({ code: "auth", status: 401 }));
  });

  it("is kept without its secret, in a file that nobody else may read", async () => {
    const { secret } = await ring.create({ name: "ci" });
    expect(readFileSync(file, "utf8")).not.toContain(secret.slice(9));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(home)).toEqual(["keys.json"]);
  });

  it("must have a name of its own among those that live", async () => {
    await ring.create({ name: "ci" });
    await expect(ring.create({ name: "ci" })).rejects.toThrow(/There is a key "ci" already \(key_/);
    await ring.revoke("ci");
    await expect(ring.create({ name: "ci" })).resolves.toBeDefined();
  });

  it.each<[string, object]>([
    ["name", { name: "" }],
    ["name", { name: "a\u001b[31m" }],
    ["name", { name: "x".repeat(65) }],
    ["requestsPerMinute", { name: "a", requestsPerMinute: 0 }],
    ["concurrency", { name: "a", concurrency: 1.5 }],
    ["budget.usd", { name: "a", budget: { usd: Number.NaN, window: "day" } }],
    ["budget.window", { name: "a", budget: { usd: 1, window: "year" } }],
    ["only", { name: "a", only: [] }],
    ["expiresAt", { name: "a", expiresAt: Number.POSITIVE_INFINITY }],
  ])("is refused for a wrong %s", async (field, settings) => {
    await expect(ring.create(settings as { name: string })).rejects.toThrow(`"${field}"`);
    expect(ring.isEmpty()).toBe(true);
  });

  it("is not lost where many are made at once", async () => {
    const rings = [ring, open(), open()];
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, i) => rings[i % 3]!.create({ name: `n${i}` })),
    );
    const last = open();
    // In the order they were asked for: nobody is overtaken until its patience ends, however slow the disk is.
    expect(last.list().map(({ name }) => name)).toEqual(Array.from({ length: 30 }, (_, i) => `n${i}`));
    for (const { key, secret } of made) expect(last.find(secret).id).toBe(key.id);
  });
});

describe("a key that does not open", () => {
  it("is told apart by its reason, and never repeated", async () => {
    const { secret: revoked } = await ring.create({ name: "old" });
    await ring.revoke("old");
    const { secret: expired } = await ring.create({ name: "brief", expiresAt: START + 5_000 });
    expect(ring.find(expired).name).toBe("brief");
    clock = START + 5_000;
    const cases: [string | undefined, string][] = [
      [undefined, "No API key was sent"],
      ["", "No API key was sent"],
      ["sk-tutti-wrong-secret", "is not known here"],
      [revoked, '"old" was revoked'],
      [expired, '"brief" expired at 2026-11-17T00:00:05.000Z'],
    ];
    for (const [secret, reason] of cases) {
      const error = catchError(() => ring.find(secret));
      expect(error).toMatchObject({ code: "auth", status: 401, retryable: false });
      expect(error.message).toContain(reason);
      if (secret) expect(error.message).not.toContain(secret.slice(9));
    }
  });

  it("stops working in a running gateway within a second of being revoked elsewhere", async () => {
    const { secret, key } = await ring.create({ name: "ci" });
    const running = open();
    expect(running.find(secret).id).toBe(key.id);
    await ring.revoke(key.id);
    clock += 999;
    expect(running.find(secret).id).toBe(key.id);
    clock += 1;
    expect(() => running.find(secret)).toThrow("was revoked");
  });

  it("is looked for again after the clock was set back", async () => {
    const { secret } = await ring.create({ name: "ci" });
    const running = open();
    running.find(secret);
    await ring.revoke("ci");
    clock -= 3_600_000;
    expect(() => running.find(secret)).toThrow("was revoked");
  });
});

describe("revoking", () => {
  it("takes an id, a name, the beginning of one, or the secret", async () => {
    const made = [];
    for (const name of ["alpha", "beta", "gamma", "delta"]) made.push(await ring.create({ name }));
    await ring.revoke(made[0]!.key.id);
    await ring.revoke("beta");
    await ring.revoke("gam");
    await ring.revoke(made[3]!.secret);
    expect(ring.list().every(({ revokedAt }) => revokedAt === START)).toBe(true);
  });

  it("is the same done twice", async () => {
    await ring.create({ name: "ci" });
    const first = await ring.revoke("ci");
    clock += 60_000;
    expect(await ring.revoke("ci")).toEqual(first);
    expect(await ring.revoke(first.id)).toEqual(first);
  });

  it("refuses what names none or several, and repeats no secret", async () => {
    await ring.create({ name: "team-a" });
    await ring.create({ name: "team-b" });
    await expect(ring.revoke("team")).rejects.toThrow('"team" begins 2 keys');
    await expect(ring.revoke("")).rejects.toThrow(expect.objectContaining({ code: "unknown-key" }));
    await expect(ring.revoke("tema-a")).rejects.toThrow('Did you mean "team-a"?');
    await expect(ring.revoke("sk-tutti-not-of-here")).rejects.toThrow("There is no key with this secret.");
    expect(ring.list().every(({ revokedAt }) => revokedAt === undefined)).toBe(true);
  });
});

describe("without usable keys", () => {
  it("is empty only as long as no key was ever defined", async () => {
    expect(ring.isEmpty()).toBe(true);
    await ring.create({ name: "ci" });
    await ring.revoke("ci");
    expect(ring.isEmpty()).toBe(false);
    expect(open().isEmpty()).toBe(false);
  });

  it("asks for a key from the first one on", async () => {
    expect(ring.identify(undefined)).toBeUndefined();
    expect(ring.identify("sk-anything")).toBeUndefined();
    const { secret, key } = await open().create({ name: "ci" });
    clock += 1_000;
    expect(() => ring.identify(undefined)).toThrow("No API key was sent");
    expect(ring.identify(secret)).toEqual(key);
  });

  it("does not fall open when the file is deleted under it", async () => {
    const { secret } = await ring.create({ name: "ci" });
    rmSync(file);
    clock += 1_000;
    expect(ring.isEmpty()).toBe(false);
    expect(() => ring.identify(undefined)).toThrow("No API key was sent");
    expect(() => ring.find(secret)).toThrow("is not known here");
  });

  it.each([
    ["no JSON", () => "{", "it is no JSON"],
    ["an empty file", () => "", "it is no JSON"],
    ["another form", () => "[]", "is damaged"],
    ["a later version", () => '{"version":2,"keys":[]}', '"version" is not as it must be'],
    [
      "a restriction nobody knows",
      (text: string) => text.replace('"name"', '"regions": ["eu"], "name"'),
      '"keys.0.regions" is not as it must be',
    ],
    [
      "a wrong hash",
      (text: string) => text.replace(/"hash": "../, '"hash": "'),
      '"keys.0.hash" is not as it must be',
    ],
    [
      "the same key twice",
      (text: string) => {
        const { version, keys } = JSON.parse(text);
        return JSON.stringify({ version, keys: [...keys, ...keys] });
      },
      "two keys have the same id",
    ],
  ])("refuses everybody for %s", async (_, damage, problem) => {
    const { secret } = await ring.create({ name: "ci" });
    writeFileSync(file, damage(readFileSync(file, "utf8")));
    clock += 1_000;
    const error = catchError(() => ring.find(secret));
    expect(error).toMatchObject({ code: "keys-damaged", status: 503 });
    expect(error.message).not.toContain(home);
    for (const each of [ring, open()])
      expect(catchError(() => each.identify(undefined)).message).toBe(error.message);
    expect(catchError(() => ring.isEmpty()).message).toContain(problem);
    const told = catchError(() => open().list()).message;
    expect(told).toContain(file);
    expect(told).toContain("tutti keys create");
    await expect(ring.create({ name: "b" })).rejects.toThrow("is damaged");
  });

  it("lets them in again after the repair", async () => {
    const { secret } = await ring.create({ name: "ci" });
    const text = readFileSync(file, "utf8");
    writeFileSync(file, "{");
    clock += 1_000;
    expect(() => ring.find(secret)).toThrow("cannot be read");
    writeFileSync(file, text);
    clock += 1_000;
    expect(ring.find(secret).name).toBe("ci");
  });
});

describe("whom a key may ask", () => {
  const key = (settings: Partial<GatewayKey>): GatewayKey => ({
    ...{ id: "key_00000000", name: "k", hash: "", hint: "", createdAt: 0, isAdmin: false },
    ...settings,
  });

  it.each<[Partial<GatewayKey>, string, boolean]>([
    [{}, "openai/gpt-6-sol", true],
    [{ only: ["openai"] }, "openai/gpt-6-sol", true],
    [{ only: ["OpenAI"] }, "openai/gpt-6-sol", true],
    [{ only: ["openai"] }, "openai-compatible/gpt", false],
    [{ only: ["openai"] }, "strong", false],
    [{ only: ["strong"] }, "strong", true],
    [{ only: ["openai/gpt-6-sol"] }, "openai/gpt-6-sol", true],
    [{ only: ["openai/gpt-6-sol"] }, "openai/gpt-6-sol-mini", false],
    [{ only: ["anthropic"] }, "openai/gpt-6-sol", false],
    [{ without: ["deepseek"] }, "deepseek/chat", false],
    [{ without: ["deepseek"] }, "openai/gpt-6-sol", true],
    [{ without: ["openrouter/deepseek"] }, "openrouter/deepseek/r1", false],
    [{ only: ["openai"], without: ["openai/gpt-6-sol"] }, "openai/gpt-6-sol", false],
    [{ only: ["openai"] }, "consensus", true],
    [{ only: ["openai"], without: ["self"] }, "self", true],
    [{ without: ["rehearsal"] }, "rehearsal/violin", false],
  ])("%j and %s: %s", (settings, id, expected) => {
    expect(isAllowed(key(settings), id)).toBe(expected);
  });

  it("goes by the provider behind a name of the config's own", () => {
    expect(isAllowed(key({ without: ["deepseek"] }), "strong", "deepseek")).toBe(false);
    expect(isAllowed(key({ only: ["openai"] }), "strong", "openai")).toBe(true);
    expect(isAllowed(key({ only: ["openai"] }), "openai/mine", "deepseek")).toBe(false);
  });

  const pool: Pool = {
    members: (["openai/a", "deepseek/b", "consensus"] as const).map((id) => ({
      worker: { id, kind: id === "consensus" ? "tool" : "model", async *ask() {} },
    })),
  };
  const idsOf = ({ members }: Pool) => members.map(({ worker }) => worker.id);

  it("leaves the others out of the pool, and refuses a pool without models", () => {
    expect(idsOf(restrictPool(key({ without: ["deepseek"] }), pool))).toEqual(["openai/a", "consensus"]);
    expect(restrictPool(key({}), pool)).toBe(pool);
    expect(restrictPool(undefined, pool)).toBe(pool);
    const providers = new Map([["openai/a", "deepseek"]]);
    for (const attempt of [
      () => restrictPool(key({ only: ["anthropic"] }), pool),
      () =>
        restrictPool(key({}), pool, ({ id }) =>
          isAllowed(key({ without: ["deepseek"] }), id, providers.get(id)),
        ),
    ])
      expect(attempt).toThrow(expect.objectContaining({ code: "forbidden", status: 403 }));
  });
});

function catchError(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not throw");
}
