// What could be done at a turn, each option with its features. What an ask is worth comes from looking ahead over the
// posterior; a Verifier's worth from what its verdict would change; a Thinker's from what a Worker gains who sees the plan.

import { type AskValue, valueAsks } from "../../belief/look-ahead.ts";
import {
  bestMass,
  judge,
  massOf,
  type Posterior,
  probabilitiesOf,
  totalMass,
} from "../../belief/posterior.ts";
import type { TurnRole } from "../../belief/types.ts";
import { usualUsd } from "../../worker/price.ts";
import type { Pool, PoolMember } from "../../worker/types.ts";
import { type FeatureName, toFeatures } from "./policy.ts";
import { type Prior, type Transcript, toFollowing, toJudge, toTurnCurve } from "./transcript.ts";
import type { TrinityOptions, TurnOption } from "./types.ts";

/** How far and how wide is looked ahead. */
export const DEPTH = 2;
export const WIDTH = 4;
/** Workers that are considered at all, by probability and price. */
const CANDIDATES = 8;
const JUDGES = 4;
const THINKERS = 3;
/** Below this share of comparable answers nobody can agree with anybody: the first reply is the answer. */
const COMPARABLE = 0.5;

/** An option with what is told of it. */
export interface WeighedOption {
  option: TurnOption;
  gain: number;
  price: number;
}

export interface TurnContext {
  pool: Pool;
  prior: Prior;
  transcript: Transcript;
  /** Turns that may still be taken. */
  left: number;
  /** Of the question and the conversation, roughly. */
  inputTokens: number;
  options: TrinityOptions;
}

/** The first is `stop`, unless nobody has said anything yet. */
export function listOptions(context: TurnContext): WeighedOption[] {
  const { transcript, left, pool } = context;
  const canCompare = isComparable(pool);
  // A recorded reply that cannot be compared is empty here, and an answer all the same.
  const said = transcript.turns.some(({ role, reply }) => role === "worker" && (reply !== "" || !canCompare));
  const stop: WeighedOption[] = said ? [{ option: stopOption(context), gain: 0, price: 0 }] : [];
  if (left <= 0 || (said && !canCompare)) return stop;
  const asks = listWorkers(context);
  if (!context.options.hasRoles) return [...stop, ...asks];
  // A team that has turns for nothing else gives the answer.
  return [
    ...stop,
    ...asks,
    ...(said ? listVerifiers(context) : []),
    ...(left > 1 ? listThinkers(context) : []),
  ];
}

/** Whether replies to this question have answers that can be compared; yes where nobody knows. */
function isComparable({ members }: Pool): boolean {
  const shares = members.flatMap(({ profile }) =>
    profile?.answered === undefined ? [] : [profile.answered],
  );
  return shares.length === 0 || Math.max(...shares) >= COMPARABLE;
}

// ---- Workers ----------------------------------------------------------------------------------------------

function listWorkers(context: TurnContext): WeighedOption[] {
  const { prior, transcript, left, options } = context;
  const { posterior, turns } = transcript;
  const asked = new Set(turns.filter(({ role }) => role === "worker").map(({ worker }) => worker));
  const order = byProbability(context).filter((worker) => !asked.has(worker));
  const now = bestMass(posterior) / totalMass(posterior.mass);
  const best = Math.max(0, ...order.map((worker) => prior.probabilities[worker]!));
  const toOptions = (values: readonly AskValue[], sees: boolean) =>
    values.map(({ candidate: { worker, price }, value }) =>
      weigh(context, { worker, role: "worker", sees }, value - now, price, {
        behind: best - prior.probabilities[worker]!,
        ...(sees && {
          sees: 1,
          "sees-plan": transcript.hasPlan ? 1 : 0,
          "sees-revised": isRevised(transcript),
        }),
      }),
    );
  const candidates = order.slice(0, CANDIDATES).map((worker) => ({
    worker,
    curve: prior.curveOf(worker),
    price: priceOf(context, worker),
  }));
  const { dependence } = prior;
  const alone = valueAsks(posterior, candidates, { dependence, depth: Math.min(DEPTH, left), width: WIDTH });
  if (!options.hasRoles || turns.length === 0) return toOptions(alone, false);
  // Who sees a plan or a diagnosis may have been asked before.
  const seeing = byProbability(context)
    .slice(0, JUDGES)
    .map((worker) => ({
      worker,
      curve: toTurnCurve(worker, transcript.hasPlan, prior, options.policy),
      price: priceOf(context, worker),
    }));
  const following = toFollowing(dependence, options.policy);
  const informed = valueAsks(posterior, seeing, { dependence: following, depth: 1, width: WIDTH });
  return [...toOptions(alone, false), ...toOptions(informed, true)];
}

/** Numbers of the models, by probability minus price. */
function byProbability(context: TurnContext): number[] {
  const { probabilities } = context.prior;
  return [...probabilities.keys()]
    .filter((worker) => probabilities[worker] !== undefined)
    .map((worker) => ({ worker, worth: probabilities[worker]! - priceOf(context, worker) }))
    .sort((a, b) => b.worth - a.worth)
    .map(({ worker }) => worker);
}

/** In probability of a right answer: per call, per dollar, per second. */
export function priceOf({ pool, inputTokens, options }: TurnContext, worker: number): number {
  const member = pool.members[worker]!;
  const { costPerCall, costPerUsd = 0, costPerSecond = 0 } = options;
  const usd = costPerUsd === 0 ? 0 : (usualUsd(member, inputTokens) ?? 0);
  return costPerCall + costPerUsd * usd + costPerSecond * secondsOf(member);
}

export function secondsOf({ profile }: PoolMember): number {
  return (profile?.delayMs ?? 0) / 1000;
}

// ---- Verifiers and Thinkers ---------------------------------------------------------------------------------

/** Whoever judges somebody else's answer: the strongest who did not give it. */
function listVerifiers(context: TurnContext): WeighedOption[] {
  const { prior, transcript, options } = context;
  const { posterior, latest, verdicts } = transcript;
  if (latest < 0) return [];
  const [best = 0] = [bestProbability(posterior)];
  return byProbability(context)
    .filter((worker) => !posterior.groups[latest]!.includes(worker))
    .slice(0, JUDGES)
    .map((worker) => {
      const judged = toJudge(prior.probabilities[worker]!, options.policy);
      const after = [true, false].map((isAccepted) => bestMass(judge(posterior, latest, isAccepted, judged)));
      const gain = (after[0]! + after[1]! - bestMass(posterior)) / totalMass(posterior.mass);
      return weigh(context, { worker, role: "verifier", sees: true }, gain, priceOf(context, worker), {
        verifier: 1,
        "verifier-best": best,
        "verifier-again": verdicts.has(latest) ? 1 : 0,
        "verifier-suggested": transcript.suggested === "verifier" ? 1 : 0,
      });
    });
}

/** A plan is worth what the Worker who will see it gains by it, once that ask is paid for. */
function listThinkers(context: TurnContext): WeighedOption[] {
  const { transcript, prior, options } = context;
  const { posterior, hasPlan } = transcript;
  const total = totalMass(posterior.mass);
  const none = probabilitiesOf(posterior).at(-1)!;
  const strongest = byProbability(context);
  const planned = strongest.slice(0, JUDGES).map((worker) => ({
    worker,
    curve: toTurnCurve(worker, true, prior, options.policy),
    price: priceOf(context, worker),
  }));
  const dependence = toFollowing(prior.dependence, options.policy);
  const [next] = hasPlan ? [] : valueAsks(posterior, planned, { dependence, depth: 1, width: WIDTH });
  const gain = next ? next.value - next.candidate.price - bestMass(posterior) / total : 0;
  return strongest.slice(0, THINKERS).map((worker) =>
    weigh(context, { worker, role: "thinker", sees: true }, gain, priceOf(context, worker), {
      thinker: 1,
      "thinker-none": none,
      "thinker-planned": hasPlan ? 1 : 0,
      "thinker-suggested": transcript.suggested === "thinker" ? 1 : 0,
    }),
  );
}

// ---- Features -------------------------------------------------------------------------------------------------

function weigh(
  { pool, prior, transcript, left, options }: TurnContext,
  { worker, role, sees }: { worker: number; role: TurnRole; sees: boolean },
  gain: number,
  price: number,
  own: Partial<Record<FeatureName, number>>,
): WeighedOption {
  const { posterior, turns } = transcript;
  const member = pool.members[worker]!;
  const dispute = posterior.groups.length > 1 ? 1 : 0;
  const none = probabilitiesOf(posterior).at(-1)!;
  const used = 1 - left / options.maxTurns;
  const features = toFeatures({
    net: gain - price,
    gain,
    price,
    ask: 1,
    "ask-best": bestProbability(posterior),
    "ask-none": none,
    "ask-used": used,
    "ask-dispute": dispute,
    probability: prior.probabilities[worker]!,
    "known-gain": (member.profile?.known ?? 0) * gain,
    "dispute-gain": dispute * gain,
    "first-gain": turns.length === 1 ? gain : 0,
    "none-gain": none * gain,
    "used-gain": used * gain,
    "agreed-gain": isAgreed(posterior) * gain,
    seconds: secondsOf(member) / 10,
    again: turns.some((turn) => turn.worker === worker) ? 1 : 0,
    ...own,
  });
  return { option: { type: "ask", worker, role, sees, features }, gain, price };
}

function stopOption({ transcript }: TurnContext): TurnOption {
  const { posterior, verdicts } = transcript;
  const best = bestGroup(posterior);
  const features = toFeatures({
    "stop-accepted": verdicts.get(best) === "accept" ? 1 : 0,
    "stop-revised": verdicts.get(best) === "revise" ? 1 : 0,
    "stop-agreed": isAgreed(posterior),
  });
  return { type: "stop", features };
}

/** Two or more said the likeliest answer. */
function isAgreed(posterior: Posterior): number {
  return (posterior.groups[bestGroup(posterior)]?.length ?? 0) > 1 ? 1 : 0;
}

function isRevised({ latest, verdicts }: Transcript): number {
  return verdicts.get(latest) === "revise" ? 1 : 0;
}

/** The likeliest group; of equals the first; -1 where nobody has an answer. */
export function bestGroup({ groups, mass }: Posterior): number {
  let best = -1;
  for (let group = 0; group < groups.length; group++)
    if (best < 0 || massOf(mass, group) > massOf(mass, best)) best = group;
  return best;
}

function bestProbability(posterior: Posterior): number {
  return bestMass(posterior) / totalMass(posterior.mass);
}
