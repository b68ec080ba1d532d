// A searched policy for tests of learning: a linear picker that asks one worker a turn, or stops with the last reply. It
// begins by preferring whoever fails most. Its last coordinate is no weight of a feature and does nothing.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom, hashSeed } from "../../base/random.ts";
import { createDecidingConductor } from "../../conductor/deciding.ts";
import type { TurnOption } from "../../conductor/trinity/types.ts";
import type { ComposeRequest, Conductor } from "../../conductor/types.ts";
import { toProbabilities } from "../../learn/evolution/gradient-head.ts";
import type { ConductorOptions, SearchedPolicy } from "../../learn/evolution/types.ts";
import type { Decision } from "../../workflow/types.ts";

const TURNS = 2;
/** Success of a worker; stopping; asking somebody again. */
const HEAD = 3;

export function createLinearPicker(): SearchedPolicy {
  return {
    size: HEAD + 1,
    head: HEAD,
    start: Float64Array.of(-1, 0.1, 0, 5),
    scales: Float64Array.of(1, 1, 1, 1),
    rounds: TURNS + 1,
    conductor: (vector, options) => createPicker(vector, options),
    async save(folder, vector, trained) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "picker.json"), JSON.stringify({ vector: [...vector], ...trained }));
    },
  };
}

function createPicker(vector: Float64Array, options: ConductorOptions = {}): Conductor {
  return createDecidingConductor({ kind: "custom", id: "picker" }, (request) => {
    const turn = request.rounds.length;
    const offered = toOptions(request);
    const taken = choose(offered, vector, turn, options);
    options.onChoice?.({ options: offered, taken });
    return toDecision(offered[taken]!);
  });
}

function choose(
  offered: TurnOption[],
  vector: Float64Array,
  turn: number,
  options: ConductorOptions,
): number {
  const { explore, force } = options;
  if (force?.turn === turn) return force.option;
  const probabilities = toProbabilities(offered, vector, explore?.temperature ?? 1);
  if (!explore) return probabilities.indexOf(Math.max(...probabilities));
  let left = createRandom(hashSeed(explore.seed, turn)).next();
  for (const [number, probability] of probabilities.entries()) {
    left -= probability;
    if (left < 0) return number;
  }
  return probabilities.length - 1;
}

function toOptions({ pool, rounds }: ComposeRequest): TurnOption[] {
  const asked = rounds.map(({ workflow }) => workflow.steps[0]!.worker);
  const stop: TurnOption = { type: "stop", features: Float64Array.of(0, 1, 0) };
  if (rounds.length >= TURNS) return [stop];
  const asks = pool.members.flatMap(({ worker, profile }, number): TurnOption[] => {
    const features = Float64Array.of(profile?.success ?? 0, 0, Number(asked.includes(number)));
    return worker.kind === "model"
      ? [{ type: "ask", worker: number, role: "worker", sees: false, features }]
      : [];
  });
  return rounds.length === 0 ? asks : [stop, ...asks];
}

function toDecision(option: TurnOption): Decision {
  if (option.type === "stop") return { type: "accept" };
  return {
    type: "workflow",
    workflow: { steps: [{ worker: option.worker, subtask: "Answer the question", access: [] }] },
  };
}
