// The contenders, each a process of its own that is started, asked for its memory and ended by its id.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readCpuMs, readRssMb } from "./process-figures.mjs";

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const env = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: "production" };

/** A script that prints its address when it listens. */
export async function startServer(file, ...args) {
  // CPU_PROF=FOLDER profiles our gateway.
  const folder = file.includes("tutti") ? process.env.CPU_PROF : undefined;
  const profiling = folder ? ["--cpu-prof", `--cpu-prof-dir=${folder}`] : [];
  const child = spawn(process.execPath, [...profiling, here(file), ...args], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await Promise.race([once(child.stdout, "data"), gone(child, file)]);
  return toServer(child, String(line).trim());
}

/** As `npx @portkey-ai/gateway` starts it. It does not tell when it listens, so it is asked. */
export function startPortkey() {
  const file = here("../node_modules/@portkey-ai/gateway/build/start-server.js");
  return startPeer(process.execPath, (port) => [file, `--port=${port}`, "--headless"], {});
}

/** LiteLLM's proxy from PyPI: one worker, no database, no telemetry, and prices that it brings along. */
export function startLiteLlm(program, upstream, folder) {
  const file = join(folder, "litellm.yaml");
  const to = { model: "openai/zero", api_base: `${upstream}/v1`, api_key: "none" };
  // JSON is YAML.
  const settings = { telemetry: false, num_retries: 0 };
  writeFileSync(
    file,
    JSON.stringify({
      model_list: [{ model_name: "zero", litellm_params: to }],
      litellm_settings: settings,
    }),
  );
  const args = (port) => [
    "--config",
    file,
    "--host",
    "127.0.0.1",
    "--port",
    String(port),
    "--telemetry",
    "False",
  ];
  return startPeer(program, args, {
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
    LITELLM_LOG: "ERROR",
    // Without a key of its own it does not start; the others have none here either.
    LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY: "true",
  });
}

async function startPeer(program, toArgs, more) {
  const port = await findPort();
  const child = spawn(program, toArgs(port), {
    env: { ...env, ...more },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said = (said + text).slice(-2_000);
  });
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 1_800 && child.exitCode === null; attempt++) {
    const answers = await fetch(`${url}/`).then(
      (response) => response.ok,
      () => false,
    );
    if (answers) return toServer(child, url);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill();
  throw new Error(`${program} does not listen\n${said}`);
}

function toServer(child, url) {
  return {
    url,
    rssMb: () => readRssMb(child.pid),
    cpuMs: () => readCpuMs(child.pid),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
      child.kill();
      await once(child, "exit");
      clearTimeout(late);
    },
  };
}

async function gone(child, file) {
  const [code] = await once(child, "exit");
  throw new Error(`${file} ended with ${code} before it listened`);
}

async function findPort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}
