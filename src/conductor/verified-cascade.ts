// Cheap first, until a verifier accepts. Each worker of the chain is asked alone, then its reply is verified: by a tool of
// the pool (tests, a schema, arithmetic: no call) or by a model that judges. Nothing is compared, so it works where replies
// cannot be. Where nobody is accepted the last reply is the answer: the chain ends with the one that is trusted most.

import type { ConductorIdentity } from "../store/types.ts";
import { isModel, modelsOf, numbersOf, verifies } from "../worker/kinds.ts";
import type { Pool, PoolMember } from "../worker/types.ts";
import type { Decision } from "../workflow/types.ts";
import { createDecidingConductor } from "./deciding.ts";
import { parseVerdict, roleOf, toRoleStep } from "./trinity/roles.ts";
import type { ComposedRound, ComposeRequest, Conductor } from "./types.ts";

/** Workers asked at the most. */
const MOST_ASKS = 4;

/** A reply with what was said of it. */
interface CheckedReply {
  round: number;
  worker: number;
  reply: string;
  /** Absent: not verified, or no verdict. */
  holds?: boolean;
  isVerified: boolean;
}

export function createVerifiedCascade(
  identity: Extract<ConductorIdentity, { kind: "verified-cascade" }>,
): Conductor {
  return {
    ...createDecidingConductor(identity, (request) => decide(request, identity.judge)),
    // An ask and its verification each, and one more that accepts.
    rounds: 2 * MOST_ASKS + 1,
  };
}

function decide({ pool, rounds, maxRounds = 2 * MOST_ASKS + 1 }: ComposeRequest, judge?: string): Decision {
  const chain = toChain(pool, judge);
  const verifier = findVerifierNumber(pool, judge);
  const checked = toChecked(rounds);
  const last = checked.at(-1);
  const left = maxRounds - rounds.length;
  const trust = judge === undefined ? undefined : toTrust(pool, judge);
  if (last?.holds && isLikeliest(last, chain.slice(checked.length), trust)) return acceptReply(last);
  // To ask somebody, to verify it and to accept takes three; with less there is one ask of the most trusted, and no more.
  const next = left >= 3 ? chain[checked.length] : checked.length === 0 ? chain.at(-1) : undefined;
  const isLastOfChain = checked.length === chain.length;
  const isWorthIt = judge === undefined || !isLastOfChain;
  if (last && last.reply !== "" && !last.isVerified && left >= 2 && verifier >= 0 && isWorthIt)
    return { type: "workflow", workflow: { steps: [toRoleStep("verifier", verifier)] } };
  if (next === undefined) return acceptBest(checked, trust);
  return { type: "workflow", workflow: { steps: [toRoleStep("worker", next)] } };
}

/**
 * The models by price, cheapest first, without whoever is dearer than another and no better by its profile. The end of it
 * counts most, so a long chain loses its middle. A model of unknown price comes last; who judges is asked too, if it is worth it.
 */
function toChain(pool: Pool, judge?: string): number[] {
  const models = numbersOf(pool, isModel).filter(
    (number) => modelsOf(pool).length === 1 || pool.members[number]!.worker.id !== judge,
  );
  const priceOf = (number: number) => toPrice(pool.members[number]!);
  const successOf = (number: number) => toSuccess(pool.members[number]!);
  const byPrice = [...models].sort(
    (a, b) => priceOf(a) - priceOf(b) || (successOf(b) ?? 0) - (successOf(a) ?? 0) || a - b,
  );
  const kept: number[] = [];
  for (const number of byPrice) {
    const success = successOf(number);
    const isBeaten = kept.some((cheaper) => {
      const other = successOf(cheaper);
      return success !== undefined && other !== undefined && other >= success;
    });
    if (!isBeaten) kept.push(number);
  }
  return kept.length <= MOST_ASKS ? kept : [...kept.slice(0, MOST_ASKS - 1), kept.at(-1)!];
}

/** Of replies are mostly output; what was measured on such tasks says more than a list. */
function toPrice({ price, profile }: PoolMember): number {
  return profile?.callUsd ?? price?.outputUsd ?? Number.MAX_VALUE;
}

function toSuccess({ profile }: PoolMember): number | undefined {
  return profile?.probability ?? profile?.similar ?? profile?.success;
}

function findVerifierNumber({ members }: Pool, judge: string | undefined): number {
  return members.findIndex(({ worker }) => (judge === undefined ? verifies(worker) : worker.id === judge));
}

/** That a worker's reply is right, by its profile and by what was said of the reply. Undefined: it has no profile. */
type Trust = (worker: number, holds: boolean | undefined) => number | undefined;

/**
 * Bayes with the judge's measured errors, each with one more of either kind so that few measurements prove nothing. Errors
 * are taken as independent of the worker, which a judge that is fooled by what fooled the worker breaks. Undefined: not measured.
 */
function toTrust({ members }: Pool, judge: string): Trust | undefined {
  const counts = members.find(({ worker }) => worker.id === judge)?.profile?.judging;
  if (!counts) return undefined;
  const acceptsWrong = (counts.acceptedWrong + 1) / (counts.wrong + 2);
  const acceptsRight = 1 - (counts.refusedRight + 1) / (counts.right + 2);
  return (worker, holds) => {
    const success = toSuccess(members[worker]!);
    if (success === undefined || holds === undefined) return success;
    const ifRight = success * (holds ? acceptsRight : 1 - acceptsRight);
    const ifWrong = (1 - success) * (holds ? acceptsWrong : 1 - acceptsWrong);
    return ifRight + ifWrong === 0 ? success : ifRight / (ifRight + ifWrong);
  };
}

function toChecked(rounds: readonly ComposedRound[]): CheckedReply[] {
  const checked: CheckedReply[] = [];
  for (const [round, { workflow, replies }] of rounds.entries()) {
    const [step] = workflow.steps;
    if (!step) continue;
    const reply = replies[0] ?? "";
    const last = checked.at(-1);
    if (roleOf(step.subtask) !== "verifier") {
      checked.push({ round, worker: step.worker, reply, isVerified: false });
    } else if (last) {
      const verdict = parseVerdict(reply)?.verdict;
      Object.assign(last, { isVerified: true, holds: verdict && verdict === "accept" });
    }
  }
  return checked;
}

/** Whether no worker that is left is likelier right than what was accepted. A judge of unknown errors is believed. */
function isLikeliest(accepted: CheckedReply, left: readonly number[], trust: Trust | undefined): boolean {
  const own = trust?.(accepted.worker, true);
  return own === undefined || left.every((worker) => (trust?.(worker, undefined) ?? 0) <= own);
}

/** The likeliest right; where that is not known, the latest of those that nobody has refused, else the latest. */
function acceptBest(checked: readonly CheckedReply[], trust: Trust | undefined): Decision {
  const said = checked.filter(({ reply }) => reply !== "");
  const trusted = said.map(({ worker, holds }) => trust?.(worker, holds));
  if (trusted.length > 0 && trusted.every((value) => value !== undefined))
    return acceptReply(said[trusted.lastIndexOf(Math.max(...trusted))]!);
  const best = said.findLast(({ holds }) => holds !== false) ?? said.at(-1);
  return best ? acceptReply(best) : { type: "accept" };
}

function acceptReply({ round }: CheckedReply): Decision {
  return { type: "accept", round, step: 0 };
}
