// The door to the sandbox: programs from strangers, run under limits, as many at a time as there are cores.
// Bubblewrap where it works; without it JavaScript runs in QuickJS, and Python is refused.
import { availableParallelism } from "node:os";
import { TuttiError } from "../../base/errors.ts";
import { createGate } from "../../base/gate.ts";
import { type BubblewrapProgram, findBubblewrap } from "./bubblewrap.ts";
import type { LimitedProcess } from "./process.ts";
import { runInQuickJs } from "./quickjs.ts";
import {
  DEFAULT_LIMITS,
  type MissingSandbox,
  type ProgramLanguage,
  type ProgramOptions,
  type ProgramResult,
  type SandboxEngine,
  type SandboxLimits,
} from "./types.ts";

/** Runs a program. Its limits are results; only a sandbox that cannot be used is an error. */
export async function runProgram(options: ProgramOptions): Promise<ProgramResult> {
  const { language, source, files, flags, stdin = "", signal, engine } = options;
  const limits = toLimits(options);
  const sandbox = await chooseSandbox(language, engine);
  if (typeof sandbox === "object") throw toError(language, sandbox);
  if (sandbox === "quickjs") return runInQuickJs({ source, stdin, limits, signal });
  return gate.enter(async () => {
    const program = await start(language, { source, files, flags, limits, signal });
    program.stdin.end(stdin);
    return finish(program);
  });
}

export interface LinkedProgram extends Partial<SandboxLimits> {
  source: string;
  flags?: string[];
  /** What it reads before anything the other one writes. */
  first: string;
}

/**
 * Runs two programs in two sandboxes, the output of each being the input of the other: one can ask the other
 * without either being able to touch the other's memory or files. Both end when one of them does.
 */
export async function runLinked(
  language: ProgramLanguage,
  programs: [LinkedProgram, LinkedProgram],
  signal?: AbortSignal,
): Promise<[ProgramResult, ProgramResult]> {
  return gate.enter(async () => {
    const [one, other] = await Promise.all(
      programs.map(({ source, flags, ...rest }) =>
        start(language, { source, flags, limits: toLimits(rest), signal }),
      ) as [Promise<LimitedProcess>, Promise<LimitedProcess>],
    );
    one.stdin.write(programs[0].first);
    other.stdin.write(programs[1].first);
    one.stdout.pipe(other.stdin);
    other.stdout.pipe(one.stdin);
    void one.ended.then(() => other.stop());
    return Promise.all([finish(one), finish(other)]);
  });
}

/** What would run a program in that language here, or why nothing can. */
export async function chooseSandbox(
  language: ProgramLanguage,
  engine: ProgramOptions["engine"] = "best",
): Promise<SandboxEngine | MissingSandbox> {
  if (engine === "quickjs" && language === "javascript") return "quickjs";
  const bubblewrap = await findBubblewrap(language);
  if (engine === "quickjs") {
    const reason = "QuickJS runs JavaScript alone";
    return { isMissing: true, reason, install: "apt-get install bubblewrap" };
  }
  if (!bubblewrap.isMissing) return "bubblewrap";
  return language === "javascript" ? "quickjs" : bubblewrap;
}

/** For people: "python programs cannot be run here: … Run: apt-get install bubblewrap". */
export function describeMissing(language: ProgramLanguage, { reason, install }: MissingSandbox): string {
  return `${language} programs cannot be run here: ${reason}. Run: ${install}`;
}

const toError = (language: ProgramLanguage, missing: MissingSandbox) =>
  new TuttiError("sandbox-missing", describeMissing(language, missing));

const toLimits = ({
  timeoutMs = DEFAULT_LIMITS.timeoutMs,
  memoryMb = DEFAULT_LIMITS.memoryMb,
  maxOutputBytes = DEFAULT_LIMITS.maxOutputBytes,
}: Partial<SandboxLimits>): SandboxLimits => ({ timeoutMs, memoryMb, maxOutputBytes });

async function start(language: ProgramLanguage, program: BubblewrapProgram): Promise<LimitedProcess> {
  const bubblewrap = await findBubblewrap(language);
  if (!bubblewrap.isMissing) return bubblewrap.start(program);
  throw toError(language, bubblewrap);
}

async function finish(program: LimitedProcess): Promise<ProgramResult> {
  const { isStarted, ...result } = await program.ended;
  if (isStarted) return { ...result, ranIn: "bubblewrap" };
  // A program cannot bring this about: bubblewrap reports on a descriptor that the program does not have.
  throw new TuttiError("sandbox-failed", `The sandbox did not start: ${result.stderr.trim() || result.exit}`);
}

/** More programs than cores would only take each other's time, and be graded as too slow. */
const gate = createGate(availableParallelism());
