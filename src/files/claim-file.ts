// A folder that one process at a time may write: a file in it names the process that does. It is apart because
// recordings and trainings need the same. A dead process's claim is taken over; one of another host is not,
// for nobody here can tell whether that process lives.
// Not covered: a process number that a stranger got after the owner died, which counts as the owner.

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import type { TuttiError } from "../base/errors.ts";
import { PRIVATE_FILE, writePrivateFile } from "./private.ts";

/** What this process holds: after a restart in a container it may find a claim with its own number. */
const held = new Set<string>();

/** Returns what gives the claim back. Throws `busy()` where another process, or this one, holds it. */
export function claimFile(path: string, busy: () => TuttiError): () => void {
  const file = resolve(path);
  if (!create(file)) {
    if (isClaimed(file) || !takeAway(file) || !create(file)) throw busy();
  }
  held.add(file);
  let isReleased = false;
  return () => {
    if (isReleased) return;
    isReleased = true;
    held.delete(file);
    rmSync(file, { force: true });
  };
}

/** Whether a living process holds it, this one included. */
export function isClaimed(path: string): boolean {
  const file = resolve(path);
  return isHeldBy(read(file), file);
}

/** A claim appears with its content or not at all: one that is still empty would look left behind. */
function create(file: string): boolean {
  const draft = `${file}.${process.pid}`;
  writePrivateFile(draft, JSON.stringify({ pid: process.pid, host: hostname() }));
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(code ?? "")) throw error;
    return createWithoutLinks(file);
  } finally {
    rmSync(draft, { force: true });
  }
}

function createWithoutLinks(file: string): boolean {
  try {
    writeFileSync(file, JSON.stringify({ pid: process.pid, host: hostname() }), {
      flag: "wx",
      mode: PRIVATE_FILE,
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Two that find the same dead claim must not both delete: the slower one would delete the other's new one. */
function takeAway(file: string): boolean {
  const aside = `${file}.${process.pid}.old`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    throw error;
  }
  const isDead = !isHeldBy(read(aside), file);
  if (isDead) rmSync(aside, { force: true });
  else renameSync(aside, file);
  return isDead;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function isHeldBy(text: string | undefined, file: string): boolean {
  try {
    const { pid, host } = JSON.parse(text ?? "") as { pid: number; host: string };
    if (pid === process.pid && host === hostname()) return held.has(file);
    return host !== hostname() || isProcessAlive(pid);
  } catch {
    return false; // half a claim: its writer was killed
  }
}

export function isProcessAlive(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // it exists, but belongs to somebody else
  }
}
