// How long a trained Conductor takes to plan: warm, one plan after the other, and from nothing.
import { saveCheckpoint } from "../../dist/conductor/native/checkpoint.js";
import { createNativeConductor } from "../../dist/conductor/native/native.js";
import { findShipped } from "../../dist/conductor/native/shipped.js";
import { createWeights } from "../../dist/nn/transformer.js";
import { toMessages } from "../../dist/task/types.js";
import { MAX_STEPS } from "../../dist/workflow/types.js";
import { language, median, ms, quantile, SMALL, show, signal, time, world } from "./lab.mjs";

/** `spare` is a folder for an untrained checkpoint, where there is no other. */
export async function measurePlanning(plans, given, spare) {
  const found = given ?? findShipped("conductor");
  const checkpoint = found ?? (await saveUntrained(spare));
  const requests = Array.from({ length: plans + 1 }, (_, number) => {
    const { task, pool } = world.sample(number);
    return {
      ...{ task: { id: task.id, messages: toMessages(task) }, pool, rounds: [], errors: [] },
      ...{ maxSteps: MAX_STEPS, seed: number },
    };
  });
  let conductor;
  const plan = async (request) => {
    for await (const event of conductor.compose(request, signal))
      if (event.type === "plan-end" && event.decision.type !== "workflow")
        throw new Error(`no workflow: ${event.text}`);
  };
  const first = await time(async () => {
    conductor = createNativeConductor({ checkpoint });
    await plan(requests[0]);
  });
  // Once before it counts: what runs often is compiled by then.
  for (const request of requests) await plan(request);
  const seconds = [];
  for (const request of requests.slice(1)) seconds.push(await time(() => plan(request)));
  const { width, layers } = conductor.card.shape;
  const name = given ?? (found ? "models/conductor" : "untrained: its plans are as long as plans can be");
  show(
    "planning",
    `p50 ${ms(median(seconds))}   p99 ${ms(quantile(seconds, 0.99))}   ${plans} warm plans, one thread, ${width} × ${layers} (${name})`,
  );
  show("load and first plan", ms(first));
}

async function saveUntrained(folder) {
  const training = { world: "none", isSimulated: true, command: "speed/train.mjs", seed: 1 };
  const card = {
    ...{ name: "untrained", shape: SMALL, limits: { workers: 64, rounds: 1 }, handOffs: true, about: {} },
    training: { ...training, iterations: 0, engine: "none", date: "2026-01-01" },
  };
  await saveCheckpoint(folder, { card, weights: createWeights(SMALL, 1), language });
  return folder;
}
