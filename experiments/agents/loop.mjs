// One loop: a fresh workspace, a fresh provider and gateway, one agent as a real process, and what came of it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway } from "../../dist/gateway/server.js";
import { ANSWER, FILE, RIGHT, TASK, toFiles } from "./coder.mjs";
import { PRICES } from "./ledger.mjs";
import { startProvider } from "./provider.mjs";

const LOOP_MS = 240_000;
/** Whatever an agent wants from elsewhere finds nobody. */
const NOWHERE = "http://127.0.0.1:9";

/** The three ways through the gateway. `model` is what the agent asks for. */
export const WAYS = {
  relay: { title: "one model", model: (provider) => `${provider}/coder-cheap` },
  fast: { title: "tutti-fast", model: () => "tutti-fast" },
  team: { title: "tutti", model: () => "tutti" },
};

/** The provider that speaks an agent's dialect, as a config names it. */
const WORKERS = {
  chat: { provider: "stub" },
  messages: { provider: "anthropic" },
  // Passed on as it is where one model is asked for; a run asks it in chat completions.
  responses: { provider: "stub", dialects: ["chat", "responses"] },
};

export async function loop(client, program, way) {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "tutti-loop-")));
  const [home, folder] = [join(place, "home"), join(place, "work")];
  for (const each of [home, folder]) mkdirSync(each);
  for (const [name, text] of Object.entries(toFiles())) writeFileSync(join(folder, name), text);
  const provider = await startProvider({ folder });
  const { provider: name, ...settings } = WORKERS[client.dialect];
  const gateway = await startGateway({
    port: 0,
    host: "127.0.0.1",
    env: { TUTTI_HOME: join(place, "tutti") },
    config: {
      workers: Object.entries(PRICES).map(([model, price]) => ({
        ...settings,
        model: `${name}/${model}`,
        baseUrl: `${provider.url}/v1`,
        price,
      })),
      conductor: `${name}/coder-strong`,
      consensus: false,
    },
  });
  try {
    const model = WAYS[way].model(name);
    const where = { home, folder, url: gateway.url, model, task: TASK };
    client.prepare(where);
    const startedAt = performance.now();
    const { code, output } = await perform(program, client.command(where), where);
    const seconds = (performance.now() - startedAt) / 1000;
    const isMended = readFileSync(join(folder, FILE), "utf8").includes(RIGHT);
    const isFinished = code === 0 && isMended && output.includes(ANSWER);
    return {
      ...sum(provider),
      isFinished,
      code,
      isMended,
      output,
      seconds,
      billedUsd: await readBill(gateway),
    };
  } finally {
    await gateway.close();
    await provider.close();
    rmSync(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

async function perform(program, { args, env }, { home, folder }) {
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TERM: "dumb",
      NO_COLOR: "1",
      CI: "1",
      HTTP_PROXY: NOWHERE,
      HTTPS_PROXY: NOWHERE,
      NO_PROXY: "127.0.0.1,localhost",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  const late = setTimeout(() => child.kill("SIGKILL"), LOOP_MS);
  const [code, signal] = await once(child, "close");
  clearTimeout(late);
  return { code: signal ?? code, output };
}

function sum({ lines, refusals }) {
  const add = (field) => lines.reduce((total, line) => total + line[field], 0);
  return {
    requests: lines.length,
    turns: lines.filter(({ purpose }) => purpose !== "side").length,
    usd: add("usd"),
    cachedShare: lines.length > 0 ? add("read") / add("input") : 0,
    refusals,
    lines,
  };
}

/** What the gateway says it cost, to be held against the provider's own bill. */
async function readBill(gateway) {
  const response = await fetch(`${gateway.url}/v1/usage?group=model`);
  const { data = [] } = await response.json();
  return data.reduce((total, { cost_usd = 0 }) => total + cost_usd, 0);
}
