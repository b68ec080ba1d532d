// What the sandbox takes and gives. Which engine runs a program is decided in sandbox.ts.

export type ProgramLanguage = "python" | "javascript";

export type SandboxEngine = "bubblewrap" | "quickjs";

export interface SandboxLimits {
  /** On the clock, from the start of the sandbox. */
  timeoutMs: number;
  /** Of all processes of the program together. */
  memoryMb: number;
  /** Standard output and standard error together. */
  maxOutputBytes: number;
}

export interface ProgramOptions extends Partial<SandboxLimits> {
  language: ProgramLanguage;
  source: string;
  /** Further files by name, in the folder the program starts in. */
  files?: Record<string, string>;
  stdin?: string;
  /** Arguments for the interpreter of Python: "-S" leaves installed packages out and starts faster. */
  flags?: string[];
  /** "quickjs" runs JavaScript without any process; "best" takes bubblewrap where it works. */
  engine?: "best" | "quickjs";
  signal?: AbortSignal;
}

export interface ProgramResult {
  /** "timeout", "memory" and "output" are limits that were reached, "aborted" is the caller's signal. */
  exit: "ok" | "error" | "timeout" | "memory" | "output" | "aborted";
  /** The exit code; 128 + the signal where one ended it. */
  code: number;
  stdout: string;
  stderr: string;
  ranIn: SandboxEngine;
  durationMs: number;
}

/** Why a program could not be run here and what to do about it. */
export interface MissingSandbox {
  isMissing: true;
  reason: string;
  /** The command that would help. */
  install: string;
}

export const DEFAULT_LIMITS: SandboxLimits = { timeoutMs: 10_000, memoryMb: 512, maxOutputBytes: 1_048_576 };
