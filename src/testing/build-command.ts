// The command as users run it: compiled JavaScript in its own process. Built afresh beside the installed
// modules, so that a test never runs yesterday's `dist` and never changes today's.

import { execFile, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** Builds into a folder of this name and returns the path of `main.js`. */
export async function buildCommand(name: string): Promise<string> {
  const folder = join(root, "node_modules/.cache", name);
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(root, "package.json"), join(folder, "package.json"));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const options = [
    "-p",
    join(root, "tsconfig.build.json"),
    "--outDir",
    join(folder, "dist"),
    "--declaration",
    "false",
  ];
  const main = join(folder, "dist/cli/main.js");
  // Types are checked elsewhere: what counts here is that there is something to run.
  const output = await new Promise<string>((done) => {
    execFile(process.execPath, [tsc, ...options], (_error, stdout) => done(stdout));
  });
  if (!existsSync(main)) throw new Error(`The command cannot be built: ${output}`);
  return main;
}

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** Standard input; without it there is none. */
  input?: string;
}

/** Runs the command to its end. */
export async function runCommand(
  main: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { input, cwd, env = {} } = options;
  return new Promise((done) => {
    const child = spawn(process.execPath, [main, ...args], {
      cwd,
      env: { PATH: process.env.PATH, ...env },
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout!.setEncoding("utf8").on("data", (text) => {
      stdout += text;
    });
    child.stderr!.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    child.on("close", (code) => done({ code, stdout, stderr }));
    // The command may refuse and leave before it has read everything.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
