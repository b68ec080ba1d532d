// Processes of a load: the gateway as `tutti serve` starts it, asked for its figures and ended by its id.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** `upstream` without /v1. The journal is in `home`. */
export async function startGateway(home, upstream) {
  const workers = ["alpha", "beta", "gamma", "planner"].map((name) => ({
    id: `stub/${name}`,
    model: `stub/${name}`,
    baseUrl: `${upstream}/v1`,
    price: { inputUsd: 1, outputUsd: 2 },
  }));
  const file = join(home, "tutti.config.json");
  writeFileSync(file, JSON.stringify({ workers, conductor: "stub/planner", retries: 1 }));
  const child = spawn(
    process.execPath,
    [MAIN, "serve", "--port", "0", "--json", "--log", "off", "--config", file],
    { cwd: home, env: { PATH: process.env.PATH, TUTTI_HOME: home }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said = (said + text).slice(-2_000);
  });
  const [line] = await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(() => {
      throw new Error(`tutti serve ended: ${said}`);
    }),
  ]);
  const { url } = JSON.parse(String(line));
  return {
    url,
    get isAlive() {
      return child.exitCode === null && child.signalCode === null;
    },
    said: () => said,
    async figures() {
      const text = await (await fetch(`${url}/metrics`)).text();
      const read = (name) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
      return {
        rssMb: read("process_resident_memory_bytes") / 2 ** 20,
        openFiles: read("process_open_fds"),
        // Without the one that asks.
        running: read("tutti_running_requests") - 1,
      };
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const late = setTimeout(() => child.kill("SIGKILL"), 45_000);
      child.kill("SIGTERM");
      await once(child, "exit");
      clearTimeout(late);
      return child.exitCode;
    },
  };
}

/** The mean of each third of a list. */
export function toThirds(numbers) {
  const size = Math.floor(numbers.length / 3);
  const mean = (part) => part.reduce((sum, number) => sum + number, 0) / part.length;
  return [numbers.slice(0, size), numbers.slice(size, 2 * size), numbers.slice(2 * size)].map(mean);
}
