// Programs in bubblewrap: own user, process, network, IPC, host-name and cgroup namespaces, an empty
// environment, a file system with nothing of the host but the interpreter, and rlimits on every process.
//
// Whether it works here is tried once for each language. A process of root is never run as root: the kernel
// does not count root's processes (RLIMIT_NPROC), not even in a user namespace, so that a fork bomb would go
// through. Kernels before 5.14 count a user's processes in all namespaces together; they are refused.
import { execFile } from "node:child_process";
import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { release } from "node:os";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { findInterpreters, findOnPath, type Interpreter, SYSTEM_FOLDERS } from "./interpreter.ts";
import { type LimitedProcess, startProcess } from "./process.ts";
import { createSeccompFilter } from "./seccomp.ts";
import {
  DEFAULT_LIMITS,
  type MissingSandbox,
  type ProgramLanguage,
  type ProgramOptions,
  type SandboxLimits,
} from "./types.ts";

export interface Bubblewrap {
  isMissing: false;
  /** Starts a program in a new sandbox. */
  start(program: BubblewrapProgram): LimitedProcess;
}

export interface BubblewrapProgram extends Pick<ProgramOptions, "source" | "files" | "flags" | "signal"> {
  limits: SandboxLimits;
}

const NOBODY = 65534;
const MAX_PROCESSES = 32;
const MAX_OPEN_FILES = 64;
const SCRATCH_BYTES = 64 * 1_048_576;
const SHARED_MEMORY_BYTES = 16 * 1_048_576;
/** What Node maps as writable before the program allocates anything, and what its compiler and threads take. */
const NODE_OWN_MB = 256;
const INSIDE_USER = "1000";
const ENVIRONMENT = {
  ...{ PATH: "/usr/bin:/bin", HOME: "/tmp", LANG: "C.UTF-8", PYTHONUTF8: "1" },
  // Without this the order of a set changes from run to run, and so might a grade.
  PYTHONHASHSEED: "0",
  // Numeric packages would start a thread for every core.
  ...{ OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1" },
};
const FILE_NAMES: Record<ProgramLanguage, string> = { python: "main.py", javascript: "main.cjs" };
/** Descriptor 3 reports, 4 and up are read in order. */
const REPORT_DESCRIPTOR = 3;
const FIRST_DESCRIPTOR = 4;

const cache = new Map<ProgramLanguage, Promise<Bubblewrap | MissingSandbox>>();

/** The sandbox for a language, or why there is none. Tried once per process. */
export function findBubblewrap(language: ProgramLanguage): Promise<Bubblewrap | MissingSandbox> {
  const known = cache.get(language) ?? tryBubblewrap(language);
  cache.set(language, known);
  return known;
}

async function tryBubblewrap(language: ProgramLanguage): Promise<Bubblewrap | MissingSandbox> {
  const missing = (reason: string, install: string) => ({ isMissing: true as const, reason, install });
  if (process.platform !== "linux") {
    const reason = `bubblewrap needs Linux and this is ${process.platform}; use a Linux machine, and there`;
    return missing(reason, "apt-get install bubblewrap");
  }
  const [command] = findOnPath("bwrap");
  if (command === undefined) return missing("bubblewrap is not installed", toInstall("bubblewrap"));
  const [limiter] = findOnPath("prlimit");
  if (limiter === undefined) return missing("prlimit is not installed", toInstall("util-linux"));
  if (!isKernelNewEnough(release())) {
    return missing(`Linux ${release()} cannot count the processes of one sandbox; 5.14 can`, "uname -r");
  }
  const interpreters = await findInterpreters(language);
  if (interpreters.length === 0) return missing(`${language} is not installed`, toInstall("python3"));

  const { stdout: version } = await promisify(execFile)(command, ["--version"]);
  let problem = "";
  for (const interpreter of interpreters) {
    const sandbox = createBubblewrap({ language, command, limiter, interpreter, version });
    const source = language === "python" ? "print(6 * 7)" : "console.log(6 * 7)";
    const trial = sandbox.start({ source, limits: DEFAULT_LIMITS });
    trial.stdin.end();
    const { stdout, stderr, exit } = await trial.ended;
    if (stdout.trim() === "42") return sandbox;
    problem = stderr.trim().split("\n")[0] || exit;
  }
  return missing(
    `bubblewrap does not work here (${problem}); allow user namespaces`,
    existsSync("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
      ? "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
      : "sysctl -w user.max_user_namespaces=10000",
  );
}

interface Setup {
  language: ProgramLanguage;
  command: string;
  limiter: string;
  interpreter: Interpreter;
  version: string;
}

function createBubblewrap({ language, command, limiter, interpreter, version }: Setup): Bubblewrap {
  const isRoot = process.getuid?.() === 0;
  const isStaged = isRoot && interpreter.isPrivate;
  const filter = createSeccompFilter();
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(version) ?? [];
  const canForbidNamespaces = Number(major) > 0 || Number(minor) >= 8;
  const view = toView(interpreter);
  const name = FILE_NAMES[language];

  return {
    isMissing: false,
    start({ source, files = {}, flags = [], limits, signal }) {
      const contents = Object.entries({ ...files, [name]: source });
      const descriptors = [...(filter ? [filter] : []), ...contents.map(([, text]) => text)];
      const firstFile = FIRST_DESCRIPTOR + (filter ? 1 : 0);
      const args = [
        ...["--unshare-user", "--unshare-all", "--hostname", "sandbox"],
        ...["--uid", INSIDE_USER, "--gid", INSIDE_USER],
        ...(canForbidNamespaces ? ["--disable-userns"] : []),
        ...["--as-pid-1", "--die-with-parent", "--new-session"],
        ...["--json-status-fd", String(REPORT_DESCRIPTOR)],
        ...(filter ? ["--seccomp", String(FIRST_DESCRIPTOR)] : []),
        ...["--clearenv", ...Object.entries(ENVIRONMENT).flatMap(([key, value]) => ["--setenv", key, value])],
        ...view,
        ...["--proc", "/proc", "--dev", "/dev"],
        ...["--size", String(SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm"],
        ...["--size", String(SCRATCH_BYTES), "--tmpfs", "/tmp"],
        ...contents.flatMap(([file], i) => ["--file", String(firstFile + i), `/tmp/${file}`]),
        ...["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp", "--"],
        ...[limiter, ...toRlimits(language, limits)],
        ...[interpreter.path, ...toFlags(language, limits, flags), `/tmp/${name}`],
      ];
      const drop = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--inh-caps=-all"];
      return startProcess({
        command,
        args: isStaged ? [...toStage(interpreter, command), "setpriv", ...drop, command, ...args] : args,
        user: isRoot && !isStaged ? NOBODY : undefined,
        descriptors,
        limits,
        signal,
      });
    },
  };
}

// What a program sees of the host: all of it read-only.
function toView({ binds }: Interpreter): string[] {
  const folders = SYSTEM_FOLDERS.flatMap((folder) => ["--ro-bind-try", folder, folder]);
  const links = ["/bin", "/lib", "/lib64"].flatMap((path) => {
    if (!existsSync(path)) return [];
    if (lstatSync(path).isSymbolicLink()) return ["--symlink", readlinkSync(path), path];
    return ["--ro-bind", path, path];
  });
  // The cache of the loader and the names behind /usr/bin: nothing about the host's users.
  const etc = ["/etc/ld.so.cache", "/etc/alternatives"].flatMap((path) => ["--ro-bind-try", path, path]);
  return [...folders, ...links, ...etc, ...binds.flatMap((path) => ["--ro-bind", path, path])];
}

/**
 * For root, an interpreter below a folder only root can enter: a first bubblewrap opens the way to it, since
 * the user that the second one runs as could not.
 */
function toStage(interpreter: Interpreter, command: string): string[] {
  const parents = new Set<string>();
  for (const bind of [...interpreter.binds, ...SYSTEM_FOLDERS, "/etc/alternatives", command]) {
    for (let at = dirname(bind); at !== "/"; at = dirname(at)) parents.add(at);
  }
  return [
    ...[...parents].sort().flatMap((parent) => ["--perms", "0755", "--dir", parent]),
    ...[...toView(interpreter), "--ro-bind", command, command, "--dev", "/dev"],
    // The kernel lets the second one mount a /proc only where a whole one is in sight.
    ...["--bind", "/proc", "/proc"],
    // Where the second one builds its own root.
    ...["--perms", "0755", "--dir", "/tmp"],
    ...["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"],
    ...["--clearenv", "--die-with-parent"],
    "--",
  ];
}

function toRlimits(language: ProgramLanguage, { memoryMb, timeoutMs }: SandboxLimits): string[] {
  const cpuSeconds = Math.ceil(timeoutMs / 1000) + 1;
  // Node reserves far more addresses than it uses, so its writable memory is what is limited.
  const memory =
    language === "python" ? `--as=${memoryMb * 1_048_576}` : `--data=${(memoryMb + NODE_OWN_MB) * 1_048_576}`;
  return [
    ...[memory, `--nproc=${MAX_PROCESSES}`, `--nofile=${MAX_OPEN_FILES}`, `--fsize=${SCRATCH_BYTES / 2}`],
    ...["--core=0", `--cpu=${cpuSeconds}:${cpuSeconds + 1}`],
  ];
}

function toFlags(language: ProgramLanguage, { memoryMb }: SandboxLimits, flags: string[]): string[] {
  if (language === "python") return ["-B", "-s", ...flags];
  return [`--max-old-space-size=${memoryMb}`];
}

function isKernelNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

function toInstall(name: string): string {
  const managers = { "apt-get": "install", dnf: "install", apk: "add", pacman: "-S", zypper: "install" };
  const found = Object.entries(managers).find(([manager]) => findOnPath(manager).length > 0);
  const [manager, verb] = found ?? ["apt-get", "install"];
  return `${manager} ${verb} ${name}`;
}
