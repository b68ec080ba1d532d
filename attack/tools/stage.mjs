// What most attacks need: a folder of their own, a fake provider with its models in the config, a gateway and keys.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MOST_OUTPUT_TOKENS, PRICE } from "../fake-provider/bill.mjs";
import { parse, send } from "./http.mjs";
import { runCommand, startGateway, startProvider } from "./processes.mjs";

/** The provider's key: what must never be seen anywhere. Its characters are those that encodings change. */
export const PROVIDER_SECRET = "attack/Provider+Secret=7d1f~9a?b&c";
/** How they behave is in their names: see fake-provider.mjs. */
const CHAT_MODELS = [
  "plain",
  "reason",
  "planner",
  "slow",
  "silent",
  "cut",
  "endless",
  "tool",
  "refuse",
  "html",
  "redirect",
  "echo",
  "echo-error",
];

/** A process takes seconds to start on a busy machine. */
const START_MS = 120_000;
const folders = new Set();

export function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), "tutti-attack-"));
  folders.add(folder);
  return folder;
}

export function removeFolders() {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  folders.clear();
}

function toConfig(provider, more = {}) {
  const shared = { apiKeyEnv: "ATTACK_PROVIDER_KEY", price: PRICE, maxOutputTokens: MOST_OUTPUT_TOKENS };
  return {
    workers: [
      ...CHAT_MODELS.map((name) => ({
        ...shared,
        id: `fake/${name}`,
        model: `fake/${name}`,
        baseUrl: `${provider}/v1`,
      })),
      ...["plain", "reason", "echo", "echo-error", "cut", "redirect"].map((name) => ({
        ...shared,
        id: `claude/${name}`,
        model: `anthropic/${name}`,
        baseUrl: `${provider}/v1`,
      })),
      { ...shared, id: "gemini/plain", model: "google/plain", baseUrl: `${provider}/v1beta` },
    ],
    pools: { pair: ["fake/plain", "fake/reason", "fake/planner"] },
    conductor: "fake/planner",
    consensus: false,
    maxOutputTokens: 2_048,
    retries: 1,
    limits: { usd: 0.25 },
    ...more,
  };
}

/** `config`: fields besides the workers. Other options are those of `startGateway`. */
export async function openStage({ config = {}, env = {}, ...options } = {}) {
  const home = options.home ?? createFolder();
  const provider = options.provider ?? (await startProvider(env));
  const file = join(home, "config.json");
  writeFileSync(file, JSON.stringify(toConfig(provider.url, config)));
  const secrets = { ATTACK_PROVIDER_KEY: PROVIDER_SECRET, ...env };
  const created = await runCommand(
    ["keys", "create", "--name", "admin", "--admin", "--json", "--config", file],
    { home, env: secrets, timeoutMs: START_MS },
  );
  const admin = parse(created.stdout)?.secret;
  if (!admin) throw new Error(`no key could be made: ${created.stderr.slice(0, 500)}`);
  const start = (more = {}) => startGateway({ home, config: file, env: secrets, ...options, ...more });
  const stage = {
    home,
    file,
    provider,
    admin,
    secrets,
    start,
    gateway: await start(),
    /** Asks as a key: `stage.ask("/v1/runs", { key })`. */
    ask: (path, { key = admin, headers = {}, gateway = stage.gateway, ...rest } = {}) =>
      send(`${gateway.url}${path}`, { ...rest, headers: { authorization: `Bearer ${key}`, ...headers } }),
    async createKey(settings) {
      const { text } = await stage.ask("/v1/keys", { body: settings });
      const { secret, key } = parse(text) ?? {};
      if (!secret) throw new Error(`no key could be made: ${text.slice(0, 300)}`);
      return { secret, id: key.id, ...settings };
    },
    /** What the journal says that each key has spent, by the key's id. */
    async journaled(gateway = stage.gateway) {
      const { text } = await stage.ask("/v1/usage?group=key", { gateway });
      const rows = parse(text)?.data;
      if (!rows) throw new Error(`no bill: ${text.slice(0, 300)}`);
      return Object.fromEntries(rows.map(({ key, cost_usd: usd }) => [key, usd]));
    },
    /** Until nothing runs any more, or the time is over. */
    async settle(timeoutMs = 15_000) {
      const until = performance.now() + timeoutMs;
      while (performance.now() < until) {
        const { text } = await stage.ask("/v1/runs?state=running&limit=5");
        if (parse(text)?.data?.length === 0) return true;
        await new Promise((done) => setTimeout(done, 100));
      }
      return false;
    },
    async close() {
      await stage.gateway.end();
      await provider.end();
    },
  };
  return stage;
}

/** Marked with whose bill it is. */
export const question = (name, text = "What is it?") => `bill-to-${name}. ${text}`;
export const chat = (model, name, more = {}) => ({
  model,
  messages: [{ role: "user", content: question(name) }],
  ...more,
});
