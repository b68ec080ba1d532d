// A vote over the replies that a step may see: no model, no cost. Replies that say the same answer
// count together, each with its worker's measured success. The best reply of the winners is passed on in full,
// so that the answer reads well.

import { extractAnswer } from "../answer/extract.ts";
import { normaliseAnswer, sameAnswer } from "../answer/normalise.ts";
import { TuttiError } from "../base/errors.ts";
import { combines } from "./kinds.ts";
import { NO_USAGE } from "./price.ts";
import type { VisibleStep, Worker } from "./types.ts";

export interface Vote {
  answer: string;
  reply: string;
  weight: number;
  /** Among the replies, in time. */
  position: number;
}

export function createConsensusWorker(): Worker {
  return {
    id: "consensus",
    kind: "tool",
    isInstant: true,
    async *ask(request) {
      const said = request.brief?.visible.filter(({ reply }) => reply.trim() !== "") ?? [];
      // An earlier vote is no voice: counted again it would outvote those it was made from.
      const voices = said.filter(({ isCombined }) => !isCombined);
      const visible = voices.length < 2 ? said : voices;
      const count = countVotes(visible);
      if (!count || visible.length < 2) throw nothingToVote(visible.length);
      const { groups, winner, best } = count;
      yield { type: "reasoning-delta", text: describe(groups, winner) };
      yield { type: "text-delta", text: best.reply };
      yield { type: "finish", usage: NO_USAGE, reason: "stop" };
    },
  };
}

/** Its number in a pool; -1 where there is none. */
export function findConsensus(members: readonly { worker: Pick<Worker, "id" | "kind"> }[]): number {
  return members.findIndex(({ worker }) => combines(worker) && worker.id === "consensus");
}

export interface VoteCount {
  /** Votes for the same answer, together. */
  groups: Vote[][];
  winner: Vote[];
  /** The heaviest of the winners; of equals the first. */
  best: Vote;
}

/** Undefined when nobody said anything. */
export function countVotes(
  replies: readonly Pick<VisibleStep, "reply" | "success">[],
): VoteCount | undefined {
  const votes = replies
    .map(({ reply, success = 1 }, position) => ({
      reply,
      position,
      weight: success,
      answer: extractAnswer(reply),
    }))
    .filter(({ reply }) => reply.trim() !== "");
  if (votes.length === 0) return undefined;
  // A reply without an answer abstains, unless nobody has one.
  const cast = votes.filter(({ answer }) => normaliseAnswer(answer) !== "");
  const groups = group(cast.length > 0 ? cast : votes);
  const winner = groups.reduce((a, b) => (compareGroups(b, a) > 0 ? b : a));
  return { groups, winner, best: winner.reduce((a, b) => (b.weight > a.weight ? b : a)) };
}

function group(votes: Vote[]): Vote[][] {
  const groups: Vote[][] = [];
  for (const vote of votes) {
    const same = groups.find(([first]) => first && sameAnswer(first.answer, vote.answer));
    if (same) same.push(vote);
    else groups.push([vote]);
  }
  return groups;
}

function nothingToVote(replies: number): TuttiError {
  const found = `it sees ${replies === 0 ? "no reply" : "one reply"} and needs two or more`;
  return new TuttiError("nothing-to-vote", `Worker "consensus" has nothing to vote on: ${found}.`);
}

/** More weight in all; then the heavier voter; then the later step, which may have seen the earlier ones. */
function compareGroups(a: Vote[], b: Vote[]): number {
  const total = (votes: Vote[]) => votes.reduce((sum, { weight }) => sum + weight, 0);
  const heaviest = (votes: Vote[]) => Math.max(...votes.map(({ weight }) => weight));
  const latest = (votes: Vote[]) => Math.max(...votes.map(({ position }) => position));
  return compare(total(a), total(b)) || compare(heaviest(a), heaviest(b)) || latest(a) - latest(b);
}

/** Sums of weights differ in their last digits by the order of adding. */
function compare(a: number, b: number): number {
  return Math.abs(a - b) < 1e-9 ? 0 : a - b;
}

function describe(groups: Vote[][], winner: Vote[]): string {
  const voters = groups.flat().length;
  if (groups.length > 1 && groups.every((votes) => votes.length === 1)) {
    return `No agreement among ${voters} replies: took ${quote(winner)}, the heaviest vote.`;
  }
  const others = groups.filter((votes) => votes !== winner).map((votes) => `${say(votes)} ${quote(votes)}`);
  return [`${say(winner, ` of ${voters}`)} ${quote(winner)}`, ...others].join("; ");
}

function say(votes: Vote[], ofAll = ""): string {
  return `${votes.length}${ofAll} ${votes.length === 1 ? "says" : "say"}`;
}

function quote([first]: Vote[]): string {
  const answer = (first?.answer ?? "").replace(/\s+/g, " ").trim();
  return `"${answer.length > 60 ? `${answer.slice(0, 59)}…` : answer}"`;
}
