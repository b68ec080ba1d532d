// The command as people run it: a process of its own, with an environment of its own and no keys in it.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface StartedCommand {
  child: ChildProcess;
  finished: Promise<Finished>;
}

export interface CommandOptions {
  env?: Record<string, string>;
  stdin?: string;
  cwd?: string;
}

/** A folder for the journal and the config of one test. */
export function createHome(): string {
  return mkdtempSync(join(tmpdir(), "tutti-test-"));
}

export function startTutti(args: string[], { env = {}, stdin = "", cwd }: CommandOptions): StartedCommand {
  const home = env.TUTTI_HOME ?? createHome();
  const child = spawn(process.execPath, [MAIN, ...args], {
    // Nothing of the developer's: no keys, no config, no journal, and no local model servers by chance.
    env: { PATH: process.env.PATH ?? "", TUTTI_HOME: home, TUTTI_REHEARSAL_DELAY: "0", ...env },
    cwd: cwd ?? home,
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin?.on("error", () => {});
  child.stdin?.end(stdin);
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const finished = new Promise<Finished>((resolve) => {
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
  return { child, finished };
}

export function runTutti(args: string[], options: CommandOptions = {}): Promise<Finished> {
  return startTutti(args, options).finished;
}
