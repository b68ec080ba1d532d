// Where `python3` and `node` really live: behind symlinks, pyenv shims and virtual environments.
// The sandbox shows a program only the folders named here.
import { execFile } from "node:child_process";
import { realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { ProgramLanguage } from "./types.ts";

export interface Interpreter {
  path: string;
  /** Files and folders outside the system's own that it needs. */
  binds: string[];
  /** True where another user could not reach it, such as below a home folder of mode 700. */
  isPrivate: boolean;
}

/** Bound where they exist. Narrower than /usr, below which some keep their sources. */
export const SYSTEM_FOLDERS = [
  "/usr/bin",
  "/usr/lib",
  "/usr/lib64",
  "/usr/local/bin",
  "/usr/local/lib",
  "/usr/share/zoneinfo",
];

const ABOUT = "import sys; print('\\n'.join([sys.executable, sys.prefix, sys.base_prefix]))";

/** Every program of that name on PATH, in order. */
export function findOnPath(name: string): string[] {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder.startsWith("/"));
  return [...new Set(folders)].map((folder) => join(folder, name)).filter(isProgram);
}

/** PATH may name folders that this user may not look into, or that lead nowhere: there is no program for it there. */
function isProgram(path: string): boolean {
  try {
    const stat = statSync(path);
    return stat.isFile() && (stat.mode & 0o111) !== 0;
  } catch {
    return false;
  }
}

/** Candidates, best first. The caller tries them in the sandbox: what works is what counts. */
export async function findInterpreters(language: ProgramLanguage): Promise<Interpreter[]> {
  if (language === "javascript") {
    const path = realpathSync(process.execPath);
    return [toInterpreter(path, [path])];
  }
  const found = await Promise.all(findOnPath("python3").map(describePython));
  const known = new Set<string>();
  return found.flatMap((interpreter) => {
    if (interpreter === undefined || known.has(interpreter.path)) return [];
    known.add(interpreter.path);
    return [interpreter];
  });
}

// A shim is a script, so only the interpreter itself can say where it is.
async function describePython(command: string): Promise<Interpreter | undefined> {
  try {
    const { stdout } = await promisify(execFile)(command, ["-I", "-c", ABOUT], { timeout: 10_000 });
    const [executable = "", prefix = "", basePrefix = ""] = stdout.trim().split("\n");
    const isVirtual = prefix !== basePrefix;
    const folders = [...(isVirtual ? [prefix] : []), basePrefix].map((folder) => realpathSync(folder));
    return toInterpreter(isVirtual ? executable : realpathSync(executable), folders);
  } catch {
    return undefined;
  }
}

function toInterpreter(path: string, needed: string[]): Interpreter {
  const binds = [...new Set(needed)].filter((place) => !isSystem(place) && !isTooWide(place));
  return { path, binds, isPrivate: binds.some(isHidden) };
}

const isSystem = (place: string) =>
  place === "/usr" ||
  place === "/usr/local" ||
  SYSTEM_FOLDERS.some((folder) => place === folder || place.startsWith(`${folder}/`));

/** A prefix that holds the home folder would show everything in it. */
const isTooWide = (place: string) => place === "/" || `${homedir()}/`.startsWith(`${place}/`);

function isHidden(place: string): boolean {
  for (let at = place; at !== "/"; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return true;
  }
  return false;
}
