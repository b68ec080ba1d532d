// Who takes the next turn: whoever is worth most from here to the end, in dollars. Worth is the value of a right end times
// its probability, minus what the turns that are left cost, minus the cache miss that a change causes. Constants are
// set by hand and plain on purpose; OWN_EVIDENCE alone was chosen by trying, on validation tasks of the simulated set
// (docs/experiments/conductor/trajectory.md).

import type { CheckPlan, Signs, StuckSign, TrajectorySettings, TurnDecision, TurnOption } from "./types.ts";

/** How many turns are left is not known: about as many as there were, within these. */
const LEAST_TURNS = 4;
const MOST_TURNS = 16;
/** A turn that fails as the one before it did is so much likelier of a worker that will not get there. */
const OWN_EVIDENCE = 0.3;
/** The same says less of workers that have not tried: the task is harder than it looked. */
const SHARED_EVIDENCE = 0.9;
/** A turn in which all went well is so much likelier on the way to a right end, whoever has it. */
const PROGRESS = 1.1;
const MOST_PROGRESS = 8;
/** A change has to be worth so much of the value of a right end: estimates are noisy, and thoughts are lost. */
const LEAST_GAIN = 0.02;
/** Of wrong answers a verifier finds so many, where nobody has measured it; of right ones it refuses so many. */
const FINDS = 0.6;
const REFUSES_RIGHT = 0.1;
/** Of answers that come back with a diagnosis so many are put right. */
const MENDS = 0.5;
/** That a worker ends well, where nobody has measured it. */
const UNKNOWN = 0.5;
/** A second try with a diagnosis takes so many turns. */
const MENDING_TURNS = 3;
/** A loop that is stuck gets on with help so often. */
const HELPS = 0.25;
/** Tests that passed say so much. */
const TESTED = 0.95;

/**
 * The probability that it ends well, given how the loop has gone. `success`: by its profile. A turn that failed speaks against
 * whoever made it, also when another has taken over since: else the two would go on handing it back and forth.
 */
export function toSuccess(success: number | undefined, signs: Signs, worker: number, sticky: number): number {
  const prior = Math.min(0.98, Math.max(0.02, success ?? UNKNOWN));
  const own = signs.badTurnsOf.filter((by = sticky) => by === worker).length;
  const others = signs.badTurnsOf.length - own;
  // One failure says nothing: it is there to be looked at.
  const ownBad = Math.max(0, own - 1);
  const sharedBad = own > 0 ? others : Math.max(0, others - 1);
  const ratio =
    OWN_EVIDENCE ** ownBad * SHARED_EVIDENCE ** sharedBad * PROGRESS ** Math.min(MOST_PROGRESS, signs.passes);
  return (prior * ratio) / (prior * ratio + (1 - prior));
}

type TurnOfWorker = Extract<TurnDecision, { kind: "stay" | "switch" }>;

export interface TurnChoice {
  sticky: number;
  signs: Signs;
  /** The sticky worker among them. Who has no price or no profile is left out: nothing can be weighed then. */
  options: readonly TurnOption[];
  settings: TrajectorySettings;
}

/** Stay, or go to another worker where that gains more than it costs. */
export function chooseTurn({ sticky, signs, options, settings }: TurnChoice): TurnOfWorker {
  const own = options.find(({ worker }) => worker === sticky);
  const stay: TurnOfWorker = {
    kind: "stay",
    worker: sticky,
    usd: own && own.turnUsd + own.missUsd,
    missUsd: own?.missUsd,
    success: own?.success,
  };
  if (!own || !settings.switches) return stay;
  const worth = (option: TurnOption) => worthOf(option, signs, settings);
  const best = options.reduce((a, b) => (worth(b) > worth(a) ? b : a), own);
  const gainUsd = worth(best) - worth(own);
  if (best === own || gainUsd < LEAST_GAIN * settings.worthUsd) return stay;
  return {
    kind: "switch",
    worker: best.worker,
    from: sticky,
    usd: best.turnUsd + best.missUsd,
    missUsd: best.missUsd,
    gainUsd,
    because: signs.stuck ?? "value",
  };
}

/** In dollars, from here to the end. */
function worthOf(option: TurnOption, signs: Signs, settings: TrajectorySettings): number {
  const { turnUsd, missUsd, success } = option;
  const left = Math.min(MOST_TURNS, Math.max(LEAST_TURNS, signs.turns));
  return settings.worthUsd * success - left * turnUsd - (settings.ignoresCache ? 0 : missUsd);
}

export interface Verifier {
  worker: number;
  usd: number;
  /** Its measured share of wrong answers that it finds, and of right ones that it refuses. Absent: not measured. */
  finds?: number;
  refusesRight?: number;
}

/** The verifier that gains most for its price; undefined where none is worth it. `success`: of the answer to be checked. */
export function chooseCheck(
  success: number,
  signs: Signs,
  verifiers: readonly Verifier[],
  { turnUsd, settings: { worthUsd, verify } }: { turnUsd: number; settings: TrajectorySettings },
): CheckPlan | undefined {
  if (verify === "never") return undefined;
  const right = signs.tests === "passed" ? Math.max(success, TESTED) : success;
  let best: CheckPlan | undefined;
  for (const { worker, usd, finds = FINDS, refusesRight = REFUSES_RIGHT } of verifiers) {
    // What was right and is refused is done again, and as often spoilt as what was wrong is mended.
    const gain = (1 - right) * finds * MENDS - right * refusesRight * (1 - MENDS) * 0.5;
    const refused = (1 - right) * finds + right * refusesRight;
    const gainUsd = gain * worthUsd - refused * MENDING_TURNS * turnUsd;
    if (gainUsd > usd && gainUsd - usd > (best ? best.gainUsd - best.usd : 0))
      best = { worker, usd, gainUsd };
  }
  return best;
}

/** Whether help for a loop that is stuck is worth a helper that reads all of it. Unknown figures do not forbid it. */
export function chooseConsult(
  { because, turns }: { because: StuckSign; turns: number },
  success: number | undefined,
  usd: number | undefined,
  { worthUsd }: TrajectorySettings,
): TurnDecision | undefined {
  if (success === undefined || usd === undefined) return { kind: "ask-conductor", because, turns };
  const gainUsd = (1 - success) * HELPS * worthUsd;
  return gainUsd > usd ? { kind: "ask-conductor", because, turns, usd, gainUsd } : undefined;
}
