// The processes of an attack: started here, known by their id, ended by it. `endAll` ends what an attack that broke
// has left behind.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parse, send } from "./http.mjs";

/** TUTTI_ATTACK_DIST names another build to attack. */
const DIST = process.env.TUTTI_ATTACK_DIST ?? fileURLToPath(new URL("../../dist", import.meta.url));
const MAIN = join(DIST, "cli/main.js");
const PROVIDER = fileURLToPath(new URL("../fake-provider.mjs", import.meta.url));
const START_MS = 120_000;
const END_MS = 15_000;
const KEPT_OUTPUT = 8_000_000;

const children = new Set();

/** `command` as for spawn; its output is kept. `ready(stdout)` says when it may be used. */
async function start(command, args, options, ready) {
  // Its input is a pipe that nobody writes to: the fake provider ends when it is closed, even where we were killed.
  const stdin = args[0] === PROVIDER ? "pipe" : "ignore";
  const child = spawn(command, args, { ...options, stdio: [stdin, "pipe", "pipe"] });
  children.add(child);
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"])
    child[name].on("data", (chunk) => {
      if (output[name].length < KEPT_OUTPUT) output[name] += chunk.toString("latin1");
    });
  const exited = once(child, "exit").then(() => children.delete(child));
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const end = async (signal) => {
    if (!isAlive()) return;
    child.kill(signal);
    const late = setTimeout(() => child.kill("SIGKILL"), END_MS);
    await exited;
    clearTimeout(late);
  };
  const late = performance.now() + START_MS;
  for (let value; ; ) {
    value = ready?.(output.stdout);
    if (value !== undefined || !ready) return { child, output, exited, isAlive, end, value };
    if (!isAlive() || performance.now() > late) {
      const how = isAlive()
        ? `in ${START_MS / 1_000} s`
        : `and ended with ${child.exitCode ?? child.signalCode}`;
      await end("SIGKILL");
      const said = `${output.stdout.slice(-500)}${output.stderr.slice(-1_000)}`;
      throw new Error(`did not start ${how}: ${args.join(" ").slice(0, 200)}: ${said}`);
    }
    await new Promise((done) => setTimeout(done, 10));
  }
}

const firstJson = (text) => (text.includes("\n") ? parse(text.split("\n")[0]) : undefined);

export async function startProvider(env = {}) {
  const server = await start(
    process.execPath,
    [PROVIDER],
    { env: { PATH: process.env.PATH, ...env } },
    firstJson,
  );
  const ask = async (path) => parse((await send(`${server.value.control}${path}`)).text);
  return {
    url: server.value.url,
    bill: () => ask("/bill"),
    calls: () => ask("/calls"),
    headers: () => ask("/headers"),
    end: () => server.end("SIGKILL"),
  };
}

/**
 * `tutti serve` as people start it. `limitFileKb`: no file of its own may become larger (a disk that is full).
 * `clock`: milliseconds since 1970 at which its clock begins. `dist`: the build that it is.
 */
export async function startGateway({
  home,
  config,
  env = {},
  limitFileKb,
  clock,
  heapMb = 1_024,
  log = "info",
  dist = DIST,
}) {
  const words = [
    join(dist, "cli/main.js"),
    "serve",
    "--port",
    "0",
    "--json",
    "--log",
    log,
    "--config",
    config,
  ];
  const preload = clock === undefined ? [] : ["--import", new URL("./clock.mjs", import.meta.url).href];
  const args = [`--max-old-space-size=${heapMb}`, ...preload, ...words];
  const options = {
    cwd: home,
    env: { PATH: process.env.PATH, TUTTI_HOME: home, ATTACK_CLOCK: String(clock ?? ""), ...env },
  };
  const limited = ["-c", `ulimit -f ${limitFileKb}; exec "$0" "$@"`, process.execPath, ...args];
  const server =
    limitFileKb === undefined
      ? await start(process.execPath, args, options, firstUrl)
      : await start("bash", limited, options, firstUrl);
  return {
    url: server.value,
    pid: server.child.pid,
    output: server.output,
    isAlive: server.isAlive,
    /** The most memory it ever held. */
    peakMb() {
      const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
      return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024);
    },
    async health() {
      const from = performance.now();
      const { status } = await send(`${server.value}/health`, { timeoutMs: 10_000 });
      return { ok: status === 200, ms: performance.now() - from };
    },
    kill: () => server.end("SIGKILL"),
    end: () => server.end("SIGTERM"),
  };
}

const firstUrl = (text) => /"url":\s*"([^"]+)"/.exec(text)?.[1];

/** Another verb that listens, such as `rl serve`. */
export async function startServer(words, { home, env = {} }) {
  const options = { cwd: home, env: { PATH: process.env.PATH, TUTTI_HOME: home, ...env } };
  const server = await start(process.execPath, [MAIN, ...words], options, firstUrl);
  return {
    url: server.value,
    output: server.output,
    isAlive: server.isAlive,
    end: () => server.end("SIGTERM"),
  };
}

/** A command of ours to its end, without a terminal; killed after `timeoutMs`. */
export async function runCommand(words, { home, cwd = home, env = {}, timeoutMs = 20_000, node = [] }) {
  const options = { cwd, env: { PATH: process.env.PATH, HOME: home, TUTTI_HOME: home, ...env } };
  return runNode([...node, MAIN, ...words], options, timeoutMs);
}

/** Node with these arguments to its end. `isLate`: it was killed because its time was over. */
async function runNode(args, options, timeoutMs) {
  const server = await start(process.execPath, args, options);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    server.child.kill("SIGKILL");
  }, timeoutMs);
  await server.exited;
  clearTimeout(timer);
  return { code: server.child.exitCode, isLate, ...server.output };
}

export async function endAll() {
  const left = [...children];
  for (const child of left) child.kill("SIGKILL");
  await Promise.all(left.map((child) => child.exitCode ?? child.signalCode ?? once(child, "exit")));
}

/** A script of ours that prints lines; `next` gives the next one, or undefined where none came in time. */
export function startLines(args) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TUTTI_ATTACK_DIST: DIST },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  let said = "";
  child.stderr.on("data", (chunk) => {
    said = (said + chunk).slice(-1_000);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = once(child, "exit").then(() => children.delete(child));
  return {
    said: () => said,
    async next(timeoutMs) {
      let timer;
      const late = new Promise((done) => {
        timer = setTimeout(done, timeoutMs, {});
      });
      const { value } = await Promise.race([lines.next(), late]);
      clearTimeout(timer);
      return value;
    },
    async end() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await exited;
    },
  };
}
