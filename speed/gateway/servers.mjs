// The contenders, each a process of its own that is started, asked for its memory and ended by its id.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

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
export async function startPortkey() {
  const port = await findPort();
  const file = here("../node_modules/@portkey-ai/gateway/build/start-server.js");
  const child = spawn(process.execPath, [file, `--port=${port}`, "--headless"], { env, stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 100; attempt++) {
    const answers = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (answers) return toServer(child, url);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill();
  throw new Error("Portkey's gateway does not listen: npm --prefix speed install");
}

function toServer(child, url) {
  return {
    url,
    rssMb() {
      const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"));
      return Number(found?.[1]) / 1024;
    },
    /** Of all its threads, user and system. A hundred ticks make a second on every Linux of today. */
    cpuMs() {
      const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
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
