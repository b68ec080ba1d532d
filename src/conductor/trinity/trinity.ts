// TRINITY as a Conductor. Each turn: read what was said, believe, list what could be done, let the head choose. A turn is a
// round of one step (of several where waiting costs more than asking), and stopping accepts the likeliest answer of all rounds.

import { createRandom } from "../../base/random.ts";
import { probabilitiesOf } from "../../belief/posterior.ts";
import { updateTrackRecord } from "../../belief/track-record.ts";
import type { Belief, BelievedAnswer } from "../../belief/types.ts";
import type { ConductorIdentity } from "../../store/types.ts";
import type { Pool } from "../../worker/types.ts";
import type { Decision, Step } from "../../workflow/types.ts";
import { createDecidingConductor } from "../deciding.ts";
import type { ComposeRequest, Conductor } from "../types.ts";
import { askTogether } from "./ask-together.ts";
import { bestGroup, listOptions, type WeighedOption } from "./options.ts";
import { toRoleStep } from "./roles.ts";
import {
  type Prior,
  probabilityOf,
  readTranscript,
  type Transcript,
  type Turn,
  toPrior,
} from "./transcript.ts";
import type { TrinityOptions, TurnOption } from "./types.ts";

/** Of a decision, so many options are told. */
const TOLD = 5;
const CHARACTERS_PER_TOKEN = 4;
/** Of an answer as it is told; the whole one is in the reply. */
const LONGEST_ANSWER = 200;

export function createTrinityConductor(identity: ConductorIdentity, options: TrinityOptions): Conductor {
  return {
    ...createDecidingConductor(identity, (request) => decideTurn(request, options)),
    // One more, in which it only accepts.
    rounds: options.maxTurns + 1,
  };
}

function decideTurn(
  request: ComposeRequest,
  options: TrinityOptions,
): { decision: Decision; belief: Belief } {
  const { pool, rounds, maxRounds = options.maxTurns + 1 } = request;
  const prior = toPrior(pool, options.policy, options.memory?.record);
  const transcript = readTranscript(rounds, prior, options.policy);
  // The last round must be left to accept an answer of an earlier one; a run of one round asks once.
  const left = Math.min(
    options.maxTurns - transcript.turns.length,
    maxRounds === 1 ? 1 : maxRounds - 1 - rounds.length,
  );
  const context = { pool, prior, transcript, left, inputTokens: countTokens(request), options };
  const weighed = listOptions(context);
  if (weighed.length === 0) return { decision: { type: "accept" }, belief: toBelief(transcript, [], []) };
  const { force } = options;
  const isForced = force?.turn === rounds.length && force.option < weighed.length;
  const taken = isForced ? force.option : choose(weighed, options, request.seed);
  options.onChoice?.({ options: weighed.map(({ option }) => option), taken });
  const { option } = weighed[taken]!;
  if (option.type === "stop") {
    remember(transcript, pool, options);
    return { decision: toAnswer(transcript, prior.probabilities), belief: toBelief(transcript, weighed, []) };
  }
  const asked = [option, ...askTogether(context, weighed, taken)];
  const steps = asked.map((ask) => toStep(ask, options, pool));
  return {
    decision: { type: "workflow", workflow: { steps } },
    belief: toBelief(transcript, weighed, asked),
  };
}

/**
 * How far each promise was kept. Only where two or more answered alone: of one who was asked alone the posterior knows what
 * the profile says, and nothing else.
 */
export function remember(
  { turns, posterior }: Transcript,
  { members }: Pool,
  { memory }: TrinityOptions,
): void {
  if (!memory) return;
  const alone = turns.filter(({ role, sees, group }) => role === "worker" && !sees && group >= 0);
  if (new Set(alone.map(({ worker }) => worker)).size < 2) return;
  const probabilities = probabilitiesOf(posterior);
  memory.record = updateTrackRecord(
    memory.record,
    alone.map(({ worker, group }) => ({
      worker: members[worker]!.worker.id,
      expected: probabilityOf(members[worker]!),
      believed: probabilities[group]!,
    })),
  );
}

/** The best by the head, or in training one that is sampled. */
export function choose(
  weighed: readonly WeighedOption[],
  { policy, explore }: TrinityOptions,
  seed: number,
): number {
  const worth = weighed.map(({ option: { features } }) => dot(policy.head, features));
  const best = worth.reduce((at, value, i) => (value > worth[at]! ? i : at), 0);
  if (!explore) return best;
  const weights = worth.map((value) => Math.exp((value - worth[best]!) / explore.temperature));
  let rest = createRandom(seed ^ explore.seed).next() * weights.reduce((sum, weight) => sum + weight, 0);
  const found = weights.findIndex((weight) => {
    rest -= weight;
    return rest < 0;
  });
  return found < 0 ? best : found;
}

function toStep(
  { worker, role, sees }: Extract<WeighedOption["option"], { type: "ask" }>,
  { hasRoles }: TrinityOptions,
  pool: Pool,
): Step {
  if (hasRoles) return toRoleStep(role, worker, { sees });
  // Asked alone, a worker gets the conversation as it is where it can: our words would only be in the way.
  return { worker, subtask: pool.members.length === 1 ? "" : SOLVE, access: [] };
}

const SOLVE = "Solve the overall task and give the answer.";

function toAnswer(transcript: Transcript, probabilities: Prior["probabilities"]): Decision {
  const turn = toAnswerTurn(transcript, probabilities);
  return turn ? { type: "accept", round: turn.round, step: turn.step } : { type: "accept" };
}

/** Who said the likeliest answer, the most trusted of them; where nobody has one, the first who replied. */
export function toAnswerTurn(
  { turns, posterior }: Transcript,
  probabilities: Prior["probabilities"],
): Turn | undefined {
  const group = bestGroup(posterior);
  const said = turns.filter((turn) => turn.role === "worker" && turn.reply !== "");
  const equal = said.filter((turn) => turn.group === group);
  const [first, ...rest] = equal.length > 0 ? equal : said;
  return rest.reduce(
    (best, turn) => (probabilities[turn.worker]! > probabilities[best!.worker]! ? turn : best),
    first,
  );
}

/** `asked`: what was taken. */
function toBelief(
  { turns, posterior, answers }: Transcript,
  weighed: readonly WeighedOption[],
  asked: readonly TurnOption[],
): Belief {
  const probabilities = probabilitiesOf(posterior);
  const believed: BelievedAnswer[] = answers.map((answer, group) => ({
    answer: answer.slice(0, LONGEST_ANSWER),
    probability: round(probabilities[group]!),
    replies: turns.filter((turn) => turn.group === group).map(({ round, step }) => ({ round, step })),
  }));
  const isAsked = ({ option }: WeighedOption) => asked.includes(option);
  const told = weighed
    .filter(({ option }) => option.type === "ask")
    .sort((a, b) => b.gain - b.price - (a.gain - a.price))
    // What was taken is told, however little its gain alone says for it.
    .sort((a, b) => Number(isAsked(b)) - Number(isAsked(a)))
    // With and without what was said so far: the better of the two stands for both.
    .filter((each, at, all) => isAsked(each) || all.findIndex((other) => isSameAsk(each, other)) === at)
    .slice(0, TOLD);
  return {
    answers: believed.sort((a, b) => b.probability - a.probability),
    none: round(probabilities.at(-1)!),
    options: told.flatMap(({ option, gain, price }) =>
      option.type === "ask"
        ? [{ worker: option.worker, role: option.role, gain: round(gain), price: round(price) }]
        : [],
    ),
    taken:
      asked.length === 0 ? undefined : asked.map((each) => told.findIndex(({ option }) => option === each)),
  };
}

function isSameAsk({ option: a }: WeighedOption, { option: b }: WeighedOption): boolean {
  return a.type === "ask" && b.type === "ask" && a.worker === b.worker && a.role === b.role;
}

/** Beliefs are journaled with every turn; more digits than these mean nothing. */
function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function countTokens({ task }: ComposeRequest): number {
  let characters = 0;
  for (const { content } of task.messages)
    if (typeof content === "string") characters += content.length;
    else for (const part of content) if (part.type === "text") characters += part.text.length;
  return characters / CHARACTERS_PER_TOKEN;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
