// Our trained Conductor as a contender: greedy and without a mask, so that its share of valid plans is honest.
// It reads profiles that come from the train split, as everything that is measured here does.

import { isTuttiError, usageError } from "../base/errors.ts";
import { measureStrength, requireCallsUsd } from "../baseline/strength.ts";
import type { Baseline } from "../baseline/types.ts";
import { createNativeConductor } from "../conductor/native/native.ts";
import type { ComposeRequest, Conductor } from "../conductor/types.ts";
import { combines, isModel } from "../worker/kinds.ts";
import { NO_USAGE } from "../worker/price.ts";
import type { Decision, WorkflowError } from "../workflow/types.ts";
import type { WorldSet } from "../world/types.ts";

/** As many plans as are written together. */
const LANES = 16;

export interface NativeContenderOptions {
  /** What its rows are called: "native", "native:FOLDER". */
  id: string;
  /** Of the checkpoint. */
  folder: string;
  set: Pick<WorldSet, "kind" | "id" | "recorded" | "hasReplies">;
  /** What a dollar costs when it chooses the size of a team, in the place of the card's cost of a call. */
  costPerUsd?: number;
}

/** Throws "bad-checkpoint" where the folder holds none that can be read. */
export function createNativeContender(options: NativeContenderOptions): Baseline {
  const { id, folder, set, costPerUsd } = options;
  const { card } = createNativeConductor({ checkpoint: folder, masked: false });
  return {
    id,
    summary: `trained: ${card.training.world}`,
    needsHandOffs: card.handOffs === true,
    rounds: card.limits.rounds,
    readsProfiles: true,
    lanes: LANES,
    trainedOn: toTrainedOn(card, set),
    fit({ pool, training }) {
      // A call costs what one of the best single worker does: it chooses how many to ask, whoever they are.
      const cost =
        costPerUsd &&
        costPerUsd * requireCallsUsd(pool, training, costPerUsd)[measureStrength(pool, training).order[0]!]!;
      const native = createNativeConductor({ checkpoint: folder, masked: false, cost });
      try {
        native.check(pool);
      } catch (error) {
        // It concerns this contender alone, so the bench goes on.
        throw isTuttiError(error) ? usageError(error.message, error) : error;
      }
      if (!set.recorded) return native;
      const alone = createNativeConductor({ checkpoint: folder, masked: false, size: 1 });
      return onlyRecorded(asksOnce(native, alone, set.hasReplies), { ...set, recorded: set.recorded });
    },
    atPrice: (other) => createNativeContender({ ...options, id: `${id}@${other}/usd`, costPerUsd: other }),
  };
}

/** Where nobody's reply was kept there is nothing to compare: there it chooses one worker. */
function asksOnce(native: Conductor, alone: Conductor, hasReplies: WorldSet["hasReplies"]): Conductor {
  return {
    identity: native.identity,
    async *compose(request, signal) {
      if (hasReplies?.(request.task.id ?? "") !== false) yield* native.compose(request, signal);
      else if (request.rounds.length === 0) yield* alone.compose(request, signal);
      else yield { type: "plan-end", text: "", decision: { type: "accept" }, usage: NO_USAGE };
    },
  };
}

/** What every card says of its training. */
interface TrainedCard {
  training: { world: string; isSimulated: boolean };
  about: Record<string, unknown>;
}

/** How the tasks of this set were split when it was trained on them; undefined where it never was. */
export function toTrainedOn(card: TrainedCard, set: NativeContenderOptions["set"]): Baseline["trainedOn"] {
  return knowsSet(card, set) ? toSplit(card) : undefined;
}

/** Whether its training took tasks of this set. */
function knowsSet({ training }: TrainedCard, { kind, id }: NativeContenderOptions["set"]): boolean {
  return kind === "rehearsal" ? training.isSimulated : training.world.split(" + ").includes(id);
}

/** How the tasks were split then: by prompt with seed 0, unless its card says otherwise. */
function toSplit({ about }: TrainedCard): { splitBy: string; splitSeed: number } {
  const { splitBy, splitSeed } = about;
  return {
    splitBy: typeof splitBy === "string" ? splitBy : "prompt",
    splitSeed: typeof splitSeed === "number" ? splitSeed : 0,
  };
}

// ---- What a recording can replay ----------------------------------------------------------------------

type ReplayedSet = Required<Pick<WorldSet, "recorded">> & Pick<WorldSet, "hasReplies">;

/**
 * A plan that wants what nobody recorded counts as no valid plan, as it did in training. Without this the first
 * of them would end the measurement.
 */
export function onlyRecorded(conductor: Conductor, recording: ReplayedSet): Conductor {
  return {
    identity: conductor.identity,
    async *compose(request, signal) {
      for await (const event of conductor.compose(request, signal)) {
        const error = event.type === "plan-end" ? findMissing(event.decision, request, recording) : undefined;
        if (error && event.type === "plan-end") yield { ...event, decision: { type: "format-error", error } };
        else yield event;
      }
    },
  };
}

function findMissing(
  decision: Decision,
  { pool, rounds, task }: ComposeRequest,
  { recorded, hasReplies }: ReplayedSet,
): WorkflowError | undefined {
  if (decision.type !== "workflow") return undefined;
  const { steps } = decision.workflow;
  const named = rounds.flatMap(({ workflow }) => workflow.steps.map(({ worker }) => worker));
  for (const [position, { worker, access }] of steps.entries()) {
    const asked = pool.members[worker]!.worker;
    if (combines(asked) && hasReplies?.(task.id ?? "") === false)
      return missing(position, `"${asked.id}" would compare replies that nobody recorded`);
    if (!isModel(asked)) continue;
    const isHandOff = typeof access === "string" ? position > 0 || rounds.length > 0 : access.length > 0;
    if (isHandOff) return missing(position, `"${asked.id}" would see replies of others`);
    named.push(worker);
    const times = named.filter((number) => number === worker).length;
    const samples = recorded(task.id ?? "", asked.id).length;
    if (times > samples)
      return missing(position, `"${asked.id}" is asked ${times} times, of ${samples} recorded`);
  }
  return undefined;
}

function missing(position: number, what: string): WorkflowError {
  return { code: "not-recorded", message: `Step ${position} cannot be replayed: ${what}.` };
}
