// Our trained model as a Conductor: it reads the question and the features of the workers, and writes a workflow
// as text, which goes through the same parser as everybody's. It runs in this process and costs nothing.

import { TuttiError, usageError } from "../../base/errors.ts";
import type { ConductorIdentity } from "../../store/types.ts";
import { handsOff, isModel, nests } from "../../worker/kinds.ts";
import { NO_USAGE } from "../../worker/price.ts";
import type { Pool } from "../../worker/types.ts";
import { MAX_STEPS } from "../../workflow/types.ts";
import { composeText, type TextPiece } from "../text.ts";
import type { ComposeRequest, Conductor } from "../types.ts";
import type { Card, Checkpoint } from "./checkpoint.ts";
import { chooseSize } from "./choice.ts";
import { createGrammar } from "./grammar.ts";
import { digestOf, openCheckpoint, openFolder } from "./opened.ts";
import { FEATURES, QUESTION_TOKENS, type Reading, toReading, toWording } from "./reading.ts";
import { createTokenSampler, type Mask } from "./sample-token.ts";
import { toCheckpointName } from "./shipped.ts";
import { streamText } from "./stream-text.ts";

export interface NativeOptions {
  /** Loaded, or the folder it is in. */
  checkpoint: Checkpoint | string;
  /** Teams of the first round have so many steps, 1 to 5; by default the Conductor decides. */
  size?: number;
  /** Cost per call when choosing the team size; defaults to the card's. */
  cost?: number;
  /** Times the cost per call: less asks more. */
  costScale?: number;
  /** Every plan is a valid workflow. By default so; false where the share of valid plans is measured. */
  masked?: boolean;
  /** The likeliest plan, by default; false: sampled, with the seed of the request. */
  isGreedy?: boolean;
}

export interface NativeConductor extends Conductor {
  readonly card: Card;
  /** Writes a plan for nobody, so that the first real one is as quick as the others. */
  warm(pool?: Pool): Promise<void>;
  /** Throws where it cannot plan for this pool: nobody to ask ("no-model"), or too many ("pool-too-large"). */
  check(pool: Pool): void;
  /** Mean of the question's tokens, in nats; its card says from where on a question is of a kind it was not trained on. */
  negativeLogLikelihood(request: Pick<ComposeRequest, "task" | "pool">): Promise<number>;
}

/** Throws "bad-checkpoint" where the folder holds none that can be read. */
export function createNativeConductor(options: NativeOptions): NativeConductor {
  const { checkpoint, masked = true, isGreedy = true } = options;
  if (
    options.size !== undefined &&
    !(Number.isInteger(options.size) && options.size >= 1 && options.size <= MAX_STEPS)
  )
    throw usageError(`The size of a team must be a whole number from 1 to ${MAX_STEPS}, not ${options.size}`);
  const opened = typeof checkpoint === "string" ? openFolder(checkpoint) : openCheckpoint(checkpoint);
  const { card, language, choices } = opened.checkpoint;
  const { closing } = card;
  const name = `native:${card.name}`;
  const identity: ConductorIdentity =
    typeof checkpoint === "string"
      ? { kind: "native", checkpoint: toCheckpointName(checkpoint), digest: digestOf(checkpoint) }
      : { kind: "custom", id: name }; // weights in memory: nobody could find them again
  const { size = card.size, costScale = 1 } = options;
  const cost = (options.cost ?? card.cost ?? 0) * costScale;

  async function* write(request: ComposeRequest, signal: AbortSignal): AsyncIterable<TextPiece> {
    checkPool(name, card, request.pool);
    // It has never learned to read the work of more rounds than these.
    const isOver = request.rounds.length >= card.limits.rounds;
    const free = toReading({ ...request, closing }, language);
    const given = isOver ? 0 : request.rounds.length === 0 ? size : undefined;
    const { size: chosen, why } = chooseSize(choices, free, { given, cost, most: request.maxSteps });
    if (why) yield { text: `${why}\n` };
    if (chosen === 0) {
      yield { text: language.acceptance };
      return;
    }
    const { batcher } = opened.writer();
    const reading = chosen === undefined ? free : toReading({ ...request, closing, size: chosen }, language);
    const { prefix } = reading;
    // What was tried greedily and refused would come out the same again.
    const isSampled = !isGreedy || request.errors.length > 0;
    const sample = createTokenSampler({
      mask: masked ? maskFor(request, reading, chosen) : undefined,
      seed: isSampled ? request.seed : undefined,
    });
    const wording = toWording(reading, request.pool);
    const tokens = yield* streamText(
      (written) => language.toText(written, wording),
      (onToken) => batcher.write({ prefix, sample, signal, onToken }),
    );
    if (signal.aborted) throw new TuttiError("aborted", `${name} was stopped.`);
    const inputTokens = prefix.tokens.length + prefix.slots.length;
    yield { usage: { ...NO_USAGE, inputTokens, outputTokens: tokens.length } };
  }

  /** A plan that goes through the parser, and of the size that was chosen, as far as the request allows it. */
  function maskFor(
    { maxSteps, rounds, pool }: ComposeRequest,
    { workers, sayable }: Reading,
    chosen?: number,
  ): Mask {
    const most = Math.min(maxSteps, chosen ?? MAX_STEPS, MAX_STEPS);
    const team = {
      isModel: (slot: number) => isModel(pool.members[workers[slot]!]!.worker),
      slots: workers.length,
      sayable,
      maxSteps: most,
      minSteps: chosen === undefined ? undefined : most,
      previousSteps: rounds.at(-1)?.replies.length ?? 0,
      handOffs: card.handOffs !== false && handsOff(pool),
    };
    return createGrammar(language, team);
  }

  return {
    identity,
    card,
    compose: (request, signal) => composeText(request, write(request, signal)),
    check: (pool) => checkPool(name, card, pool),
    async warm(pool) {
      const { batcher } = opened.writer();
      const slots = Array.from({ length: pool ? slotsOf(pool) : 1 }, () => new Float32Array(FEATURES));
      const tokens = Array<number>(QUESTION_TOKENS).fill(language.size(size));
      await batcher.write({ prefix: { tokens, slots }, sample: () => language.next });
    },
    async negativeLogLikelihood({ task, pool }) {
      const { prefix } = toReading({ task, pool, rounds: [], closing }, language);
      // Nothing but the control token: there is nothing that could look familiar.
      if (prefix.tokens.length < 2) return Number.POSITIVE_INFINITY;
      const [value] = await opened.writer().model.negativeLogLikelihood([prefix]);
      return value!;
    },
  };
}

function slotsOf({ members }: Pool): number {
  return members.filter(({ worker }) => !nests(worker)).length;
}

function checkPool(name: string, { limits }: Card, pool: Pool): void {
  if (!pool.members.some(({ worker }) => isModel(worker)))
    throw new TuttiError("no-model", `The pool has no model that ${name} could ask: add one.`);
  const slots = slotsOf(pool);
  if (slots <= limits.workers) return;
  throw new TuttiError(
    "pool-too-large",
    `The pool has ${slots} workers, and ${name} can plan for at most ${limits.workers}: name fewer with --pool, or let another Conductor plan (--conductor prompted).`,
  );
}
