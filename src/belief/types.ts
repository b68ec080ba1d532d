// What a Conductor that decides after every reply believes: which of the answers given so far is right, and what one more
// ask would be worth. Apart, because the vote, the Conductor, the journal and the pages all speak of it.

/** What somebody is asked for in a turn. "worker": a concrete answer. */
export type TurnRole = "thinker" | "worker" | "verifier";

/** An answer that was given, with all replies that say it. */
export interface BelievedAnswer {
  answer: string;
  /** That it is right, 0..1. */
  probability: number;
  /** Who said it; both numbers from 0. */
  replies: { round: number; step: number }[];
}

/** Something that could be done next. Gain and price are in probability of a right answer. */
export interface BelievedOption {
  /** Number in the pool. */
  worker: number;
  /** Absent where the Conductor uses no roles. */
  role?: TurnRole;
  /** How much likelier a right answer is after it, looked ahead. */
  gain: number;
  /** What the ask costs in the same unit. */
  price: number;
}

/** Journaled with each decision, so that a page can show what was believed before and after every turn. */
export interface Belief {
  /** Likeliest first; empty before anybody replied. */
  answers: BelievedAnswer[];
  /** That nobody has been right so far, 0..1. */
  none: number;
  /** Best first, five at the most. */
  options: BelievedOption[];
  /**
   * What was done: for each step that the decision asks for, its number in `options`. Absent when it stops; where it is
   * absent otherwise, the best option with the step's worker is taken for it (`toTaken`).
   */
  taken?: number[];
}
