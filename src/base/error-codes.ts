// What every error code means, in one table. Retries, circuit breaker, spending, bench, command and gateway
// look up here what to do, so a code is added in one line and decided once. Codes are public: they are in the
// journal, in `--json` output and in HTTP bodies. docs/errors.md is made from this file.

/** What a failed ask is taken to have cost: nobody was asked; only what was written; all that it may have cost. */
type Billed = "never" | "if-written" | "assumed";

export interface ErrorTraits {
  /** The HTTP status, unless a provider gave one. */
  status: number;
  /** A client of the gateway reads its message and status; of any other error only a 500 and the request id. */
  isShown: boolean;
  /** Of the command: 2 is bad usage. */
  exitCode: 1 | 2;
  /** Asking the same worker again may help. A provider may say otherwise. */
  retryable: boolean;
  billed: Billed;
  /** It says something about the worker, not about the request: others are preferred for a while. */
  opensCircuit: "never" | "after-three" | "at-once";
  /** It says nothing about the task, even where asking again would not help. Whatever is retryable is an outage. */
  isOutage: boolean;
  /** A recording has no such reply, so whoever wanted it cannot be replayed. */
  isUnrecorded: boolean;
  /** What to do, for people. Empty where the message says it. */
  remedy: string;
}

/** Bad use or a request that must change: nobody was asked. */
function request(status: number, remedy = "", traits: Partial<ErrorTraits> = {}): ErrorTraits {
  return { ...local(remedy, status), isShown: true, ...traits };
}

/** An ask that failed; it may have cost something. The client did nothing wrong, so it reads 502. */
function ask(remedy: string, traits: Partial<ErrorTraits> = {}): ErrorTraits {
  return { ...local(remedy, 502), isShown: true, billed: "assumed", ...traits };
}

/** Something of this machine: files, ports, trainings, recordings. Clients of the gateway learn nothing of it. */
function local(remedy: string, status = 500): ErrorTraits {
  return {
    status,
    isShown: false,
    exitCode: 1,
    retryable: false,
    billed: "never",
    opensCircuit: "never",
    isOutage: false,
    isUnrecorded: false,
    remedy,
  };
}

function unrecorded(remedy: string): ErrorTraits {
  return { ...local(remedy, 400), isUnrecorded: true };
}

const DOWN = { opensCircuit: "after-three", isOutage: true, retryable: true } as const;
const CHECK_KEY = "Check the provider's key: tutti pool check asks every worker.";
const WAIT = "Wait a moment and try again.";
const FREE_SPACE = "Check that the disk has space and that the folder may be written.";
const LET_END = "Let the other process end, or stop it, and try again.";
const REPORT = "This is a bug: please report it with what you did.";

export const ERROR_CODES = {
  // The request
  usage: request(400, "", { exitCode: 2 }),
  "bad-request": request(400, "", { billed: "if-written" }),
  forbidden: request(403),
  "unknown-model": request(404),
  "not-found": request(404),
  "unknown-run": request(404, "tutti runs lists the runs of the journal."),
  "method-not-allowed": request(405),
  conflict: request(409),
  "run-active": request(409),
  "run-busy": request(409, LET_END),
  "upload-timeout": request(408, "Send the body at once, or in smaller parts."),
  "too-large": request(413, "Send less, or raise the limit of the gateway."),
  "rate-limited": request(429, WAIT, { billed: "if-written", ...DOWN }),
  "budget-spent": request(429, "Raise the budget, or wait until its window is over.", { isOutage: true }),
  // Something is configured, and none of it can be asked. A simulation never takes its place.
  "no-worker": request(503, "tutti doctor says what is wrong and how to mend it.", { isOutage: true }),
  // The rehearsal is a simulator, and this is no question of its world: nobody was asked.
  "not-in-rehearsal": request(422),
  overloaded: request(503, WAIT, { billed: "assumed", retryable: true, isOutage: true }),

  // An ask of a worker or of a Conductor
  auth: ask(CHECK_KEY, { status: 401, billed: "if-written", opensCircuit: "at-once", isOutage: true }),
  "worker-auth": ask(CHECK_KEY),
  unreachable: ask("Check that the address is right and that somebody listens there.", {
    status: 503,
    billed: "if-written",
    ...DOWN,
  }),
  timeout: ask("Raise the time-out, or ask for a shorter reply.", { status: 504, ...DOWN }),
  "stream-cut": ask(WAIT, DOWN),
  "bad-response": ask("Check that the address is one of a chat API.", { billed: "if-written", ...DOWN }),
  "undeclared-tool": ask("Ask another model: this one calls tools that it was not given."),
  "endless-reply": ask("The provider writes on beyond the length that was asked for: ask another one.", {
    opensCircuit: "after-three",
  }),
  // Without `retryable` it is the worker's answer to this very task, and no outage.
  "provider-error": ask(WAIT, {
    billed: "if-written",
    retryable: true,
    opensCircuit: "after-three",
  }),
  "worker-fault": ask("A worker threw an error of its own: look at its code.", { isOutage: true }),
  "conductor-fault": ask("The Conductor threw an error of its own: look at its code.", { isOutage: true }),
  "context-length": ask("Shorten the conversation, or ask a model that reads more.", {
    status: 400,
    billed: "if-written",
  }),
  "content-filter": ask("Say it differently, or ask another model.", { status: 400 }),
  "empty-reply": ask("Raise maxOutputTokens: models that reason need more."),
  "invalid-output": ask("Simplify the schema, or ask a stronger model.", { status: 422 }),
  "nested-failed": ask("tutti runs show tells what happened in the nested run."),
  "nothing-to-vote": ask("Let the step see replies of models.", { billed: "never" }),
  "unknown-worker": ask("Add the worker to the pool again.", { billed: "never" }),
  "no-model": ask("", { billed: "never" }),
  limit: ask("", { status: 422 }),
  aborted: ask("", { status: 499 }),
  cancelled: ask("", { status: 499 }),
  interrupted: ask("tutti runs resume goes on with it.", { retryable: true, isOutage: true }),
  "too-deep": { ...local("Raise maxDepth, or leave self out of the pool.") },

  // What a recording cannot replay
  "not-recorded": unrecorded("Record this worker on this task first: tutti record."),
  "handoff-not-recorded": unrecorded("Plan without hand-offs, or use live workers."),
  "no-more-samples": unrecorded("Record more samples: tutti record --samples."),

  // The journal and other files
  "journal-failed": local(""),
  "journal-damaged": local("Put a copy of the journal back, or set TUTTI_HOME to another folder."),
  "journal-version": local(""),
  "run-over": local("", 409),
  "ambiguous-run": local(""),
  // A config that was found in a folder, and that nobody has named or trusted.
  "untrusted-config": { ...local(""), exitCode: 2 },
  "bad-file": local("Repair the file where the message points.", 400),
  "write-failed": local(""),
  "cannot-write": local(FREE_SPACE),
  "cache-active": local("", 409),
  // Thrown after the reply was paid for.
  "cache-failed": { ...local(FREE_SPACE), billed: "assumed" },
  "keys-busy": local("", 503),
  "keys-damaged": local("", 503),
  "keys-not-written": local(FREE_SPACE),
  "unknown-key": local("tutti keys list shows the keys.", 404),

  // Serving
  "port-taken": local(""),
  "port-refused": local(""),
  "no-interface": local(""),
  "client-left": local("", 499),
  "no-route": local("", 404),
  "bad-method": local("Use GET or POST.", 405),
  stopping: local(WAIT, 503),
  "unknown-label": local("Export the questions again with the world that is served: tutti rl export.", 422),
  "no-reward": local("The log of the environment says why."),

  // Tasks and grading
  "cannot-grade": local("", 400),
  "sandbox-missing": local(""),
  "sandbox-failed": { ...local(WAIT), retryable: true, isOutage: true },
  "test-in-training": local("Take the task out of the training set."),
  "recording-active": local(LET_END, 409),

  // Networks and training
  "bad-checkpoint": local("Name a folder that tutti train wrote, or a shipped Conductor.", 400),
  "bad-tokenizer": local("Put the checkpoint's own tokenizer back."),
  "bad-graph": local(REPORT),
  "no-engine": local(""),
  "not-finite": local("Lower the learning rate and resume from the last checkpoint."),
  "pool-too-large": local("", 400),
  "bad-training": local("Put a copy of the file back, or train in a new folder."),
  "other-version": local("Use the version that wrote it, or train in a new folder."),
  "training-active": local(LET_END, 409),
  "training-failed": local("tutti train with the same options says more."),

  // Bugs
  internal: { ...local("The log says what happened."), billed: "assumed" },
  unexpected: local(""),
} satisfies Record<string, ErrorTraits>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Of a code nobody knows here (another version's journal, a stranger's worker) the careful thing is assumed. */
const UNKNOWN: ErrorTraits = { ...local(""), billed: "assumed" };

export function traitsOf(code: string): ErrorTraits {
  return isErrorCode(code) ? ERROR_CODES[code] : UNKNOWN;
}

/** A journaled code as one of ours, to throw it again. */
export function toErrorCode(code: string, otherwise: ErrorCode): ErrorCode {
  return isErrorCode(code) ? code : otherwise;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}
