// An admin's page that shows trainings and benches whose files have tens of megabytes, again and again.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAttack, repeat, send } from "./stage/stage.mjs";

const PATHS = [
  "/v1/trainings",
  "/v1/trainings/large",
  "/v1/benches",
  "/v1/benches/large",
  "/v1/comparisons?a=large&a_conductor=x&b=large&b_conductor=x",
];

function prepare(home) {
  const training = join(home, "trainings", "large");
  mkdirSync(training, { recursive: true });
  const statement = {
    version: 1,
    world: "rehearsal",
    isSimulated: true,
    seed: 0,
    command: "",
    startedAt: 1,
    state: "ended",
    notices: [],
  };
  writeFileSync(join(training, "training.json"), JSON.stringify(statement));
  const iteration = (i) =>
    JSON.stringify({ type: "iteration", iteration: i, stage: "rl", reward: 0.5, note: "x".repeat(200) });
  writeFileSync(
    join(training, "iterations.jsonl"),
    Array.from({ length: 100_000 }, (_, i) => `${iteration(i)}\n`).join(""),
  );
  const bench = join(home, "bench", "large");
  mkdirSync(bench, { recursive: true });
  writeFileSync(join(bench, "bench.json"), JSON.stringify({ identity: { set: "s", seed: 1 } }));
  const row = (i) =>
    JSON.stringify({
      conductor: "x",
      task: `t${i}`,
      correct: i % 2 === 0,
      calls: 1,
      costUsd: 0.1,
      durationMs: 5,
      answer: "x".repeat(200),
    });
  writeFileSync(join(bench, "rows.jsonl"), Array.from({ length: 50_000 }, (_, i) => `${row(i)}\n`).join(""));
}

export default createAttack({
  name: "trainings and benches of tens of megabytes",
  tries: 60,
  keys: { mallory: { isAdmin: true } },
  prepare,
  attack: (target) => repeat(target, { count: 60, atOnce: 6 }, (i) => send(target, PATHS[i % PATHS.length])),
});
