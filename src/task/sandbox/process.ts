// One process under limits: its clock, its output, its memory and its end. Of bubblewrap it knows that the
// program's first process is named on descriptor 3, that all others die with it, and it with its parent.
import { type ChildProcess, spawn } from "node:child_process";
import { openSync, readdirSync, readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type { ProgramResult, SandboxLimits } from "./types.ts";

export interface ProcessPlan {
  command: string;
  args: string[];
  /** Only root can set it: the user the process becomes. */
  user?: number;
  /** What the process reads from descriptors 4 and up. Descriptor 3 is where it says that the program ran. */
  descriptors: (Buffer | string)[];
  limits: SandboxLimits;
  signal?: AbortSignal;
}

type Ended = Omit<ProgramResult, "ranIn">;

export interface LimitedProcess {
  stdin: Writable;
  stdout: Readable;
  stop(): void;
  /** Never rejects. Where the program was not started at all, `stderr` says why. */
  ended: Promise<Ended & { isStarted: boolean }>;
}

const WATCH_EVERY_MS = 40;
const PAGE_BYTES = 4096;
const SIGXCPU_CODE = 128 + 24;
const OUT_OF_MEMORY = /MemoryError|heap out of memory|Cannot allocate memory|Array buffer allocation failed/;

export function startProcess(plan: ProcessPlan): LimitedProcess {
  const { command, args, user, descriptors, limits, signal } = plan;
  const started = performance.now();
  const child = spawn(command, args, {
    // The first process in the sandbox is a fork of this one: its environment must be empty from the start.
    env: {},
    cwd: "/",
    detached: true,
    stdio: toStdio(4 + descriptors.length),
    uid: user,
    gid: user,
  });
  const [stdin, stdout, stderr] = child.stdio as unknown as [Writable, Readable, Readable];
  const status = child.stdio[3] as Readable;
  const inputs = child.stdio.slice(4, 4 + descriptors.length) as Writable[];
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  let report = "";
  let limit: ProgramResult["exit"] | undefined;
  let bytes = 0;

  const end = (why: ProgramResult["exit"]) => {
    limit ??= why;
    kill(child, /"child-pid": (\d+)/.exec(report)?.[1]);
  };
  const collect = (into: Buffer[]) => (chunk: Buffer) => {
    const room = limits.maxOutputBytes - bytes;
    bytes += chunk.length;
    if (room > 0) into.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    if (chunk.length > room) end("output");
  };
  const abort = () => end("aborted");
  const clock = setTimeout(() => end("timeout"), limits.timeoutMs);
  const watch = setInterval(() => {
    if (child.pid !== undefined && isOverMemory(child.pid, limits.memoryMb * 1_048_576)) end("memory");
  }, WATCH_EVERY_MS);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();

  stdout.on("data", collect(output));
  stderr.on("data", collect(errors));
  status.on("data", (chunk: Buffer) => {
    report += chunk;
  });
  // A program that ends before it has read everything breaks the pipe: not our concern.
  for (const stream of [stdin, stdout, stderr, status, ...inputs]) stream.on("error", () => {});
  inputs.forEach((stream, i) => {
    stream.end(descriptors[i]);
  });

  const ended = new Promise<Ended & { isStarted: boolean }>((resolve) => {
    const settle = (code: number, extra = "") => {
      clearTimeout(clock);
      clearInterval(watch);
      signal?.removeEventListener("abort", abort);
      const errorText = Buffer.concat(errors).toString("utf8") + extra;
      resolve({
        exit: limit ?? toExit(code, errorText),
        code,
        stdout: Buffer.concat(output).toString("utf8"),
        stderr: errorText,
        durationMs: performance.now() - started,
        isStarted: limit !== undefined || report.includes('"exit-code"'),
      });
    };
    child.on("error", (error) => settle(127, error.message));
    child.on("close", (code) => settle(code ?? 128 + 9));
  });
  return { stdin, stdout, stop: () => end("aborted"), ended };
}

let inherited: number[] | undefined;
let nothing: number | undefined;

/**
 * Pipes, and nothing in the place of every descriptor that this process got from its own parent: Node closes
 * those it opens itself, but these would reach the program, and one of them may be a door to the host.
 */
function toStdio(pipes: number): ("pipe" | "ignore" | number)[] {
  inherited ??= readdirSync("/proc/self/fd")
    .map(Number)
    .filter((descriptor) => descriptor > 2 && !isClosedOnStart(descriptor));
  nothing ??= openSync("/dev/null", "r");
  const stdio = Array.from({ length: Math.max(pipes, ...inherited.map((each) => each + 1)) }, (_, i) =>
    i < pipes ? ("pipe" as const) : ("ignore" as "ignore" | number),
  );
  for (const descriptor of inherited) if (descriptor >= pipes) stdio[descriptor] = nothing;
  return stdio;
}

function isClosedOnStart(descriptor: number): boolean {
  try {
    const [, flags = "0"] =
      /flags:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & 0o2000000) !== 0;
  } catch {
    return true;
  }
}

function toExit(code: number, stderr: string): ProgramResult["exit"] {
  if (code === 0) return "ok";
  if (code === SIGXCPU_CODE) return "timeout";
  return OUT_OF_MEMORY.test(stderr.slice(-4000)) ? "memory" : "error";
}

const GRACE_MS = 500;

/**
 * Ends the program's first process, so that bubblewrap sees it die and buries it: killed together with
 * bubblewrap it would stay as a zombie wherever the machine's first process does not collect them. The group
 * follows if that was not enough.
 */
function kill(child: ChildProcess, first: string | undefined): void {
  const send = (pid: number) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself in this moment.
    }
  };
  if (child.pid === undefined) return;
  const group = -child.pid;
  if (first === undefined) {
    send(group);
    return;
  }
  send(Number(first));
  const fallback = setTimeout(() => send(group), GRACE_MS);
  child.once("close", () => clearTimeout(fallback));
}

/**
 * Memory of a process and all below it. An rlimit counts each process alone; this counts all. Pages that
 * forks share are counted once for each of them at first, and exactly only where that is too much.
 */
function isOverMemory(pid: number, maxBytes: number): boolean {
  const isOver = (read: (id: string) => number) => {
    let bytes = 0;
    const open = [String(pid)];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      try {
        bytes += read(id);
        for (const task of readdirSync(`/proc/${id}/task`)) {
          const children = readFileSync(`/proc/${id}/task/${task}/children`, "utf8");
          open.push(...children.split(" ").filter((child) => child !== ""));
        }
      } catch {
        // It has ended since its parent named it.
      }
    }
    return bytes > maxBytes;
  };
  return isOver(residentBytes) && isOver(proportionalBytes);
}

function residentBytes(id: string): number {
  return Number(readFileSync(`/proc/${id}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES;
}

function proportionalBytes(id: string): number {
  try {
    return Number(/^Pss:\s*(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, "utf8"))?.[1]) * 1024;
  } catch {
    return residentBytes(id);
  }
}
