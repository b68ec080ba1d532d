import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type LoadOptions, loadConfig } from "./load.ts";

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "tutti-config-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Everything is trusted: what needs trust, and by whom it is given, is tested in trust/ and in cli/config/. */
const load = (options: Pick<LoadOptions, "cwd" | "file">) =>
  loadConfig({ ...options, env: {}, approve: async () => {} });

async function messageOf(files: Record<string, string>, file?: string): Promise<string> {
  const error = await load({ cwd: folderWith(files), file }).then(
    () => expect.fail("was accepted"),
    (reason) => reason,
  );
  expect(error).toMatchObject({ code: "usage" });
  return error.message;
}

describe("a config file", () => {
  it("may be absent: everything has a default", async () => {
    const { config, file } = await load({ cwd: folderWith({}) });
    expect(file).toBeUndefined();
    expect(config).toMatchObject({
      consensus: true,
      self: false,
      showNames: false,
      limits: { usd: 1, calls: 40, tokens: null, deadlineMs: 600_000 },
      rounds: 1,
      maxOutputTokens: 8192,
      maxDepth: 1,
      allowUnknownPrice: false,
    });
    expect(config.workers).toBeUndefined();
  });

  it.each([
    ["tutti.config.yaml", "workers: [openai/gpt-6-sol]\nlimits: { usd: null }\n"],
    ["tutti.config.yml", "workers:\n  - model: openai/gpt-6-sol\nlimits:\n  usd: null\n"],
    ["tutti.config.json", '{ "workers": [{ "model": "openai/gpt-6-sol" }], "limits": { "usd": null } }'],
    [
      "tutti.config.mjs",
      'export default { workers: [{ model: "openai/gpt-6-sol" }], limits: { usd: null } };',
    ],
    [
      "tutti.config.js",
      'module.exports = { workers: [{ model: "openai/gpt-6-sol" }], limits: { usd: null } };',
    ],
    [
      "tutti.config.ts",
      'const model: string = "openai/gpt-6-sol";\nexport default { workers: [{ model }], limits: { usd: null } };',
    ],
  ])("may be %s", async (name, text) => {
    const cwd = folderWith({ [name]: text });
    for (const file of [undefined, name]) {
      const loaded = await load({ cwd, file });
      expect(loaded.file).toBe(join(cwd, name));
      expect(loaded.config).toMatchObject({
        workers: [{ model: "openai/gpt-6-sol" }],
        limits: { usd: null, calls: 40 },
      });
    }
  });

  it("may be empty", async () => {
    expect((await load({ cwd: folderWith({ "tutti.config.yaml": "# nothing yet\n" }) })).config.rounds).toBe(
      1,
    );
  });

  it("holds workers and model objects in code", async () => {
    const text = `
      const worker = { id: "mine", kind: "model", async *ask() {} };
      const model = { specificationVersion: "v3", provider: "p", modelId: "m", supportedUrls: {}, doStream() {} };
      export default { workers: [worker, { worker: { ...worker, id: "other" }, price: { inputUsd: 0, outputUsd: 0 } }, { model }] };`;
    const { config } = await load({ cwd: folderWith({ "tutti.config.ts": text }) });
    expect(config.workers).toMatchObject([
      { worker: { id: "mine" } },
      { worker: { id: "other" } },
      { model: { modelId: "m" } },
    ]);
  });
});

describe("errors name file and line", () => {
  it.each([
    [
      "a wrong field",
      "tutti.config.yaml",
      "rounds: 2\nlimits:\n  uds: 1\n",
      /^tutti\.config\.yaml:3: unknown field "limits\.uds"\. Did you mean "usd"\?$/,
    ],
    [
      "a wrong type",
      "tutti.config.json",
      '{\n  "rounds": 1,\n  "limits": {\n    "usd": "1 dollar"\n  }\n}',
      /^tutti\.config\.json:4: limits\.usd must be a number or null, but is "1 dollar"$/,
    ],
    [
      "a missing field",
      "tutti.config.yaml",
      "workers:\n  - id: a\n",
      /^tutti\.config\.yaml:2: workers\[0\]\.model is missing: must be "provider\/model"/,
    ],
    ["broken YAML", "tutti.config.yaml", "rounds: 2\nlimits: {\n", /^tutti\.config\.yaml:[23]: /],
    ["broken JSON", "tutti.config.json", '{\n  "rounds": 2,\n}', /^tutti\.config\.json:3: this is not JSON/],
    ["broken TypeScript", "tutti.config.ts", "export default {", /^tutti\.config\.ts cannot be run: /],
    ["no default export", "tutti.config.mjs", "export const config = {};", /must have a default export/],
  ])("%s", async (_, name, text, message) => {
    expect(await messageOf({ [name]: text })).toMatch(message);
  });

  it("a file that is not there, of no known kind, or one too many", async () => {
    expect(await messageOf({}, "other.yaml")).toBe("There is no config file other.yaml");
    expect(await messageOf({ "config.toml": "" }, "config.toml")).toMatch(/must end with one of ts, js/);
    const two = { "tutti.config.json": "{}", "tutti.config.yaml": "" };
    expect(await messageOf(two)).toMatch(/There are tutti.config.yaml and tutti.config.json. Keep one/);
  });
});
