// Which worker takes the next turn of a tool loop, and why: the types of the decision. An agent's conversation is a
// trajectory of turns; its worker stays (sticky), because its provider keeps the prefix in a cache and its thoughts are its
// own. Everything here is pure and counts in dollars. The machine asks (perform/loop.ts), the journal keeps what was decided.

/** Why a trajectory is stuck: the same error came again, the same calls are made again, or nothing has worked for long. */
export type StuckSign = "same-error" | "loop" | "no-progress";

/** What the results of the client's tools tell, without asking anybody. */
export interface Signs {
  /** How often tools have returned. */
  turns: number;
  /** Turns in which no tool reported a failure. */
  passes: number;
  /** In a row until now: turns in which a tool reported a failure. */
  failures: number;
  /** In a row until now: turns that ended in the newest error. */
  sameError: number;
  /** In a row until now: turns that made the newest calls with the same arguments and got the same results. */
  repeats: number;
  /** Of the longest of these rows: who made each turn, the newest last. Undefined: nobody knows any more. */
  badTurnsOf: readonly (number | undefined)[];
  /** How the newest tests went that a tool has run. Absent: none were seen. */
  tests?: "passed" | "failed";
  /** They are what the tools returned last: nothing was done since that could have changed how they go. */
  isTestedLast?: true;
  stuck?: StuckSign;
}

/** What a worker's provider has in its cache of this conversation, as far as it has reported it. */
export interface CacheRead {
  /** Input and output of the worker's newest turn: what its next turn may find in the cache. */
  tokens: number;
  /** When it was read. Caches forget. */
  at: number;
  /** Of the prefix that could have been cached, the share that was. Absent: not reported yet. */
  share?: number;
}

/** One worker for the next turns. */
export interface TurnOption {
  /** Number in the pool. */
  worker: number;
  /** Dollars of one more turn once the prefix is in its cache. */
  turnUsd: number;
  /** Dollars on top, once: the prefix is read at the full price because it is not in its cache. */
  missUsd: number;
  /** Probability that it brings the task to a right end, given what has been seen. */
  success: number;
}

/** A check of the final answer before the client reads it. */
export interface CheckPlan {
  /** Who verifies. */
  worker: number;
  usd: number;
  /** What the check is expected to bring, in dollars of value, before its price. */
  gainUsd: number;
}

/** As it is journaled, with what it was decided on. Numbers are workers of the pool, dollars are estimates. */
export type TurnDecision =
  /** `usd`: of the next turn. `check`: should this turn end with an answer, it is verified first. */
  | { kind: "stay"; worker: number; usd?: number; missUsd?: number; success?: number; check?: CheckPlan }
  /** `gainUsd`: by how much it is worth more than staying, the cache miss and all later turns paid. */
  | {
      kind: "switch";
      worker: number;
      from: number;
      usd: number;
      missUsd: number;
      gainUsd: number;
      because: "value" | StuckSign;
      check?: CheckPlan;
    }
  /** `usd`: of a helper that reads the conversation. Absent where prices or chances are not known. */
  | { kind: "ask-conductor"; because: StuckSign; turns: number; usd?: number; gainUsd?: number }
  | ({ kind: "verify" } & CheckPlan)
  | { kind: "send-back"; worker: number }
  | { kind: "keep-answer"; because: "accepted" | "no-verdict" }
  /** A first turn that is no work: see side-request.ts. `usualUsd`: of who would answer otherwise. */
  | { kind: "side-request"; shape: SideShape; worker: number; usd?: number; usualUsd?: number };

/** Requests that agents make beside their work. */
export type SideShape = "ping" | "title" | "summary";

/** How a run decides its turns; in the settings that are journaled with it. */
export interface TrajectorySettings {
  /** What a right end is worth, in dollars: everything is weighed against it. */
  worthUsd: number;
  /** Final answers are verified where that is worth its price; "measured": only of workers whose success is measured. */
  verify: "worth-it" | "measured" | "never";
  /** Turns may go to another worker. */
  switches: boolean;
  /** False where nobody plans: a stuck trajectory can only change its worker. */
  canAsk: boolean;
  /** For the ablation of an experiment: a switch is not charged the cache miss that it causes. */
  ignoresCache?: true;
}
