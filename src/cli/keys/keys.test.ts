// `tutti keys` in processes of its own: what scripts rely on, what is refused, and many at once.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openKeyRing } from "../../gateway/access/keys.ts";
import { openStore } from "../../store/open.ts";
import type { RunEvent } from "../../store/types.ts";
import { createHome, runTutti } from "../../testing/command.ts";
import { event, spending, toWorkflow } from "../../testing/run-events.ts";
import { addCreateFlags, type CreateFlags, checkNames, toSettings } from "./input.ts";

// Several processes one after the other, and on a busy machine each of them takes seconds.
vi.setConfig({ testTimeout: 180_000 });

const homes: string[] = [];
const newHome = () => {
  const home = createHome();
  homes.push(home);
  return home;
};
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});
const keysIn = (home: string) => {
  const run = (...args: string[]) => runTutti(["keys", ...args], { cwd: home, env: { TUTTI_HOME: home } });
  return { run, ring: () => openKeyRing({ env: { TUTTI_HOME: home } }) };
};

describe("flags of create", () => {
  const settingsOf = (...args: string[]) => {
    const command = addCreateFlags(new Command().exitOverride().configureOutput({ writeErr() {} }));
    return toSettings(command.parse(args, { from: "user" }).opts<CreateFlags>());
  };

  it("make the settings of the key", () => {
    const flags = ["--only", "openai, anthropic,openai", "--without=deepseek", "--requests-per-minute", "60"];
    const more = [
      "--concurrency",
      "4",
      "--budget-usd",
      ".5",
      "--window",
      "week",
      "--admin",
      "--expires",
      "2d",
    ];
    const before = Date.now();
    const { expiresAt, ...settings } = settingsOf("--name", " ci ", ...flags, ...more);
    expect(settings).toEqual({
      ...{ name: "ci", isAdmin: true, only: ["openai", "anthropic"], without: ["deepseek"] },
      ...{ requestsPerMinute: 60, concurrency: 4, budget: { usd: 0.5, window: "week" } },
    });
    expect(expiresAt).toBeGreaterThanOrEqual(before + 48 * 3_600_000);
    expect(settingsOf("--name", "ci")).toEqual({ name: "ci", isAdmin: false });
    // It may be used on the day that is named.
    expect(settingsOf("--name", "ci", "--expires", "2096-02-29").expiresAt).toBe(Date.UTC(2096, 2, 1));
  });

  it.each([
    [["--name", " "], "--name must not be empty"],
    [["--only", ""], "--only must be names of providers"],
    [["--only", "openai,,x"], "--only must be names"],
    [["--without", "a b"], '--without must be names of providers or workers separated by commas, not "a b"'],
    [["--requests-per-minute", "0"], "--requests-per-minute must be a whole number from 1"],
    [["--requests-per-minute", "1.5"], 'not "1.5"'],
    [["--requests-per-minute", "many"], 'not "many"'],
    [["--concurrency", "-1"], "--concurrency must be a whole number from 1"],
    [["--concurrency", "100001"], "--concurrency must be"],
    [["--budget-usd", "0", "--window", "day"], "--budget-usd must be an amount in dollars above 0"],
    [["--budget-usd", "$5", "--window", "day"], 'not "$5"'],
    [["--budget-usd", "1e400", "--window", "day"], 'not "1e400"'],
    [["--budget-usd", "5"], "--budget-usd needs --window: day, week, month, total"],
    [["--window", "day"], "--window needs --budget-usd"],
    [["--window", "year", "--budget-usd", "5"], '--window must be day, week, month or total, not "year"'],
    [["--expires", "soon"], "--expires must be such as 12h, 30d or 2026-12-31"],
    [["--expires", "30"], 'not "30"'],
    [["--expires", "0d"], '--expires must be in the future, and "0d" is not'],
    [["--expires", "2001-01-01"], "must be in the future"],
    [["--expires", "2096-02-30"], 'not "2096-02-30"'],
    [["--expires", "9999999d"], "within a hundred years"],
  ])("refuse %j", (args, text) => {
    const name = args.includes("--name") ? [] : ["--name", "ci"];
    expect(() => settingsOf(...name, ...args)).toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringContaining(text) }),
    );
  });

  it("name only providers and workers that there are", async () => {
    const file = join(newHome(), "tutti.config.json");
    const workers = [{ id: "Strong", model: "mine/big", baseUrl: "http://127.0.0.1:9/v1" }];
    writeFileSync(file, JSON.stringify({ workers }));
    await checkNames(["openai", "OpenAI", "anthropic/any-model", "rehearsal", "Strong", "mine"], file);
    await expect(checkNames(["depseek"], file)).rejects.toThrow('Did you mean "deepseek"?');
    await expect(checkNames(["opnai/gpt"], file)).rejects.toThrow('No provider or worker "opnai/gpt"');
  });
});

describe("in a process", () => {
  it("create prints the secret alone on standard output, and it works until it is revoked", async () => {
    const { run, ring } = keysIn(newHome());
    const created = await run("create", "--name", "ci", "--budget-usd", "5", "--window", "day");
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sk-tutti-[\w-]{43}\n$/) });
    const secret = created.stdout.trim();
    expect(created.stderr).toMatch(/^Created the key "ci" \(key_[0-9a-z]{8}\)\./);
    expect(created.stderr).not.toContain(secret);
    expect(ring().find(secret)).toMatchObject({ name: "ci", budget: { usd: 5, window: "day" } });

    const table = await run();
    expect(table.code).toBe(0);
    expect(table.stdout).toMatch(/NAME\s+KEY\s+ENDS IN\s+STATE/);
    expect(table.stdout).toMatch(
      new RegExp(`ci\\s+key_\\w{8}\\s+…${secret.slice(-4)}\\s+active.*\\$5\\.00 a day`),
    );
    expect(table.stdout).not.toContain(secret);

    expect(await run("revoke", secret)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Revoked the key "ci"/),
    });
    expect(() => ring().find(secret)).toThrow("was revoked");
    expect((await run("list")).stdout).toContain("revoked");
  });

  it("everything is JSON with --json, and no hash is shown", async () => {
    const { run } = keysIn(newHome());
    expect(JSON.parse((await run("--json")).stdout)).toEqual([]);
    const made = JSON.parse((await run("create", "--name", "a", "--without", "rehearsal", "--json")).stdout);
    expect(made).toMatchObject({ name: "a", state: "active", without: ["rehearsal"], isAdmin: false });
    const listed = JSON.parse((await run("list", "--json")).stdout);
    const { secret, ...shown } = made;
    expect(listed).toEqual([expect.objectContaining(shown)]);
    expect(listed[0]).not.toHaveProperty("hash");
    expect(JSON.parse((await run("revoke", "a", "--json")).stdout)).toMatchObject({ state: "revoked" });
    const failed = await run("revoke", "nobody", "--json");
    expect(failed).toMatchObject({ code: 1, stderr: "" });
    expect(JSON.parse(failed.stdout)).toEqual({
      error: { code: "unknown-key", message: 'There is no key "nobody".' },
    });
    expect(secret).toMatch(/^sk-tutti-/);
  });

  it("the list tells what each key has spent in its window, simulated money as such", async () => {
    const home = newHome();
    const { run, ring } = keysIn(home);
    const { key: today } = await ring().create({ name: "today", budget: { usd: 5, window: "day" } });
    const { key: ever } = await ring().create({ name: "ever" });
    const store = await openStore(join(home, "journal.db"));
    const toRun = (runId: string, keyId: string, worker: string, at: number): RunEvent[] =>
      [
        { ...event.start([worker]), origin: { model: "tutti", dialect: "chat" as const, keyId } },
        event.planEnd(toWorkflow([0, "Solve it", []])),
        event.stepEnd(0, 0, "391", { spending: { ...spending(0.25), cacheSavedUsd: 0.75 } }),
      ].map((each) => ({ ...each, runId, at }));
    await store.append([
      ...toRun("r_1", today.id, "openai/gpt", Date.now()),
      ...toRun("r_2", today.id, "openai/gpt", Date.now() - 48 * 3_600_000),
      ...toRun("r_3", ever.id, "rehearsal/violin", 1),
      ...toRun("r_4", ever.id, "rehearsal/violin", Date.now()),
    ]);
    await store.close();
    const { stdout } = await run();
    expect(stdout).toMatch(/today .* \$0\.25 +\$0\.75 {2}\$5\.00 a day/);
    expect(stdout).toContain("SAVED BY CACHES");
    expect(stdout).toMatch(/ever .* \$0\.50 simulated/);
    const listed = JSON.parse((await run("--json")).stdout);
    expect(listed.map((each: { spent: object }) => each.spent)).toEqual([
      {
        usd: 0.25,
        simulatedUsd: 0,
        cacheSavedUsd: 0.75,
        since: Math.floor(Date.now() / 86_400_000) * 86_400_000,
      },
      { usd: 0, simulatedUsd: 0.5, cacheSavedUsd: 0, since: 0 },
    ]);
  });

  it("the list does without what was spent where the journal cannot be opened", async () => {
    const home = newHome();
    const { run, ring } = keysIn(home);
    await ring().create({ name: "ci" });
    writeFileSync(
      join(home, "journal.db"),
      "no journal at all, but long enough to be taken for one ".repeat(99),
    );
    const { code, stdout } = await run();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^NAME +KEY +ENDS IN +STATE\n/);
  });

  it("two processes at once lose no key", async () => {
    const home = newHome();
    const { run, ring } = keysIn(home);
    const names = ["a", "b", "c", "d"];
    const created = await Promise.all(names.map((name) => run("create", "--name", name)));
    expect(created.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(created.map(({ stdout }) => ring().find(stdout.trim()).name)).toEqual(names);
  });

  it("a damaged file is told and not overwritten", async () => {
    const home = newHome();
    const { run } = keysIn(home);
    writeFileSync(join(home, "keys.json"), "{ broken");
    const results = await Promise.all([run(), run("create", "--name", "a"), run("revoke", "a")]);
    for (const { code, stdout, stderr } of results) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain("keys.json is damaged: it is no JSON");
    }
    expect(readFileSync(join(home, "keys.json"), "utf8")).toBe("{ broken");
  });

  describe.concurrent("bad usage ends with 2", () => {
    let home: string;
    beforeAll(() => {
      home = newHome();
      return keysIn(home).ring().create({ name: "one" });
    });
    it.each([
      ["an unknown verb", ["creat"], 'unknown command "tutti keys creat". Did you mean "create"?'],
      ["no name", ["create"], "--name <name> is missing"],
      [
        "an unknown flag",
        ["create", "--name", "a", "--adminn"],
        'unknown option "--adminn". Did you mean "--admin"?',
      ],
      ["a wrong value", ["create", "--name", "a", "--concurrency", "0"], "--concurrency must be"],
      ["an unknown provider", ["create", "--name", "a", "--only", "opnai"], 'Did you mean "openai"?'],
      ["a name that cannot be seen", ["create", "--name", "\u0007"], 'this value for "name"'],
      ["no key to revoke", ["revoke"], "missing required argument 'key'"],
      ["too many words", ["list", "all"], "too many arguments"],
      ["a second key to revoke", ["revoke", "a", "b"], "too many arguments"],
      ["a config that is not there", ["list", "--config", "none.json"], "none.json"],
    ])("%s", async (_, args, text) => {
      const { code, stdout, stderr } = await keysIn(home).run(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(text);
    });
  });
});
