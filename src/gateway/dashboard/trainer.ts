// A training that the dashboard starts: `tutti train --rehearsal` as a process of its own, at a low priority, so
// that requests do not wait for it. One at a time; it ends with the gateway and can be resumed by the command.
// Only the rehearsal: it costs nothing, and needs no provider's key, so none is in its environment.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { TuttiError } from "../../base/errors.ts";
import { redact } from "../../base/redact.ts";
import { type Environment, toTuttiHome } from "../../config/home.ts";
import { chooseTrainingPath } from "../../learn/folder.ts";
import { STATEMENT } from "../../learn/statement.ts";
import { findBuilt } from "../http/built-files.ts";
import type { TrainingSettings } from "./types.ts";

export type RehearsalTrainer = ReturnType<typeof createTrainer>;

/** What a process needs to run at all; keys of providers are none of its business. */
const NEEDED = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE", "TUTTI_HOME"];
const SMALL = ["--width", "32", "--layers", "1"];
const BEGIN_MS = 60_000;
const LOOK_MS = 50;
const END_MS = 10_000;
const MOST_SAID = 2_000;

interface TrainerOptions {
  env: Environment;
  cwd: string;
  /** Without it the process finds the one of `cwd`, and refuses it unless it is trusted. */
  configFile?: string;
}

export function createTrainer({ env, cwd, configFile }: TrainerOptions) {
  let running: { id: string; child: ChildProcess; ended: Promise<unknown> } | undefined;

  function launch(settings: TrainingSettings, path: string) {
    const command = findBuilt("cli/main.js");
    if (command === undefined)
      throw new TuttiError("internal", "The command of this package was not built: run npm run build");
    const { iterations, seed, size } = settings;
    const numbers = ["--iterations", String(iterations), "--seed", String(seed), "--threads", "1"];
    const args = ["train", "--rehearsal", ...numbers, ...(size === "small" ? SMALL : []), "--out", path];
    if (configFile !== undefined) args.push("--config", configFile);
    const child = spawn(process.execPath, [command, ...args, "--json"], {
      cwd,
      env: Object.fromEntries(NEEDED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    const listen = (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-MOST_SAID);
    };
    // With --json what went wrong is told on standard output.
    child.stderr.on("data", listen);
    child.stdout.on("data", listen);
    const ended = once(child, "close").catch(() => {});
    return { child, ended, said: () => redact(said.trim()) };
  }

  return {
    /** Its name, once it has begun. Throws "conflict" (409) while another one runs. */
    async start(settings: TrainingSettings): Promise<string> {
      if (running)
        throw new TuttiError("conflict", `The training "${running.id}" is running: stop it first.`);
      const day = new Date().toISOString().slice(0, 10);
      const path = chooseTrainingPath(toTuttiHome(env), "rehearsal", day);
      const { child, ended, said } = launch(settings, path);
      const own = { id: basename(path), child, ended };
      running = own;
      void ended.then(() => {
        if (running === own) running = undefined;
      });
      if (child.pid !== undefined) lowerPriority(child.pid);
      const deadline = performance.now() + BEGIN_MS;
      while (!existsSync(join(path, STATEMENT))) {
        if (running !== own || performance.now() > deadline) {
          child.kill("SIGKILL");
          throw new TuttiError("training-failed", `The training did not begin. ${said()}`.trim());
        }
        await wait(LOOK_MS);
      }
      return own.id;
    },
    /** After the iteration that is under way. False where it is not ours. */
    stop(id: string): boolean {
      if (running?.id !== id) return false;
      running.child.kill("SIGTERM");
      return true;
    },
    runningId: () => running?.id,
    async close(): Promise<void> {
      if (!running) return;
      const { child, ended } = running;
      child.kill("SIGTERM");
      const late = new AbortController();
      await Promise.race([ended, wait(END_MS, undefined, { signal: late.signal }).catch(() => {})]);
      late.abort();
      // Its folder was written as it went: what it has learned since its last checkpoint is all that is lost.
      child.kill("SIGKILL");
    },
  };
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or the system does not let us: it trains all the same.
  }
}
