// Tutti as the environment of somebody else's training: what an engine submits, what is made of it, and what
// is answered. An engine has the policy and its gradients; here a completion is parsed, performed and graded.

/** Who asks. `plain` is our own Python file, for verl and TRL. */
export type TrainingEngine = "openrlhf" | "slime" | "nemo-gym" | "plain";

/** What a policy wrote for a question. Engines send no id of a request: these two texts are its identity. */
export interface Submission {
  /** Everything the question, its grader and its pool are found by; see label.ts. */
  label: unknown;
  /** What the policy wrote and nothing else: no prompt, no end tokens. Undefined where that cannot be told. */
  completion: string | undefined;
}

/** A completion that was performed to its end. Its reward is true and is never worked out again. */
export interface Performed {
  /** 0 not valid, 0.5 valid and wrong, 1 right. */
  reward: number;
  isValid: boolean;
  isRight: boolean;
  calls: number;
  steps: number;
  /** What the workflow costs whoever runs it; kept replies count as if they were asked again. */
  costUsd: number;
}

/**
 * Why there is no true reward. None of these is the policy's doing, so each is counted apart, and none is kept:
 * the same completion is performed when it comes again.
 */
export const FAILURE_KINDS = [
  "outage", // workers were down, longer than was waited for
  "late", // the engine would have hung up; the work goes on and is kept for the next time
  "budget", // the money of the day or of all days is spent
  "label", // nothing here fits the label
  "unreadable", // the completion cannot be told from the prompt
  "fault", // our own: the journal, the grader
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

export type RolloutVerdict =
  | { type: "reward"; performed: Performed }
  /** `why` is one line for people; it holds no reply and no key. */
  | { type: "failure"; failure: FailureKind; why: string };

/** What is answered where there is no true reward. An engine needs a number in any case. */
export interface FailureRewards {
  /** When the money is spent. */
  budget: number;
  /** For all other failures. */
  other: number;
}

/** What an engine gets for one submission. */
export interface ScoredAnswer {
  /** Always finite: an engine that gets none ends its whole batch. */
  reward: number;
  verdict: RolloutVerdict;
}

/** A protocol is pure: from a body to submissions, from answers to the exact text of the response. */
export interface EngineProtocol {
  engine: TrainingEngine;
  /** Throws a TuttiError "bad-request" for what holds no completion at all. */
  read(body: unknown): Submission[];
  write(answers: readonly ScoredAnswer[], wishes: URLSearchParams, raw: string): string;
}
