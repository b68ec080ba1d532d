// HELM: one folder per run (a scenario and a model) with run_spec.json, scenario_state.json (questions and
// completions) and per_instance_stats.json (metrics of each question).

import { basename, dirname, join } from "node:path";
import { usageError } from "../../base/errors.ts";
import { toFields } from "../../base/fields.ts";
import { badFile } from "../../files/problems.ts";
import type { SourceRow } from "../../files/read-jsonl.ts";
import { readJsonFile, sourceFiles } from "./source-files.ts";
import type { OutcomeLayout } from "./types.ts";
import { toText } from "./values.ts";

/** The first that a run has is the score. */
const METRICS = [
  "exact_match",
  "quasi_exact_match",
  "final_number_exact_match",
  "math_equiv_chain_of_thought",
  "prefix_exact_match",
  "quasi_prefix_exact_match",
  "ifeval_strict_accuracy",
  "accuracy",
];

const STATE = /^scenario_state\.json$/;

export const HELM: OutcomeLayout = {
  id: "helm",
  title: "HELM",
  hasMetrics: true,
  reads:
    "run folders with run_spec.json, scenario_state.json and per_instance_stats.json; --metric names the score",
  async read(source, sink, { set, metric }) {
    for (const file of sourceFiles(source, STATE, "run folder (scenario_state.json)")) {
      if (!STATE.test(basename(file)))
        throw usageError(`${file} is no run of HELM: give a run folder, or a folder of them`);
      const folder = dirname(file);
      const { name, adapter_spec: adapter } = toFields(readJsonFile(join(folder, "run_spec.json")));
      const model = toText(toFields(adapter).model);
      if (model === "") throw badFile(`${join(folder, "run_spec.json")}: names no "adapter_spec.model"`);
      const run = (toText(name) || basename(folder))
        .replace(/,?model=[^,]*/, "")
        .replace(/:,?$/, "")
        .replace(":,", ":");
      const scenario = run.split(":")[0]!;
      const stats = readStats(join(folder, "per_instance_stats.json"));
      const { request_states: states } = toFields(readJsonFile(file));
      if (!Array.isArray(states)) throw badFile(`${file}: has no list "request_states"`);
      for (const [position, value] of states.entries()) {
        const { instance, result, train_trial_index: trial } = toFields(value);
        const { id, input, references, perturbation, split } = toFields(instance);
        // Other trials and perturbed questions are other measurements of the same.
        if (perturbation !== undefined && perturbation !== null) continue;
        if (trial !== undefined && trial !== 0) continue;
        const measured = stats.get(toText(id));
        if (!measured) {
          sink.problem(
            file,
            position + 1,
            `no statistics of instance "${toText(id)}" in per_instance_stats.json`,
          );
          continue;
        }
        const chosen = metric ?? METRICS.find((known) => measured.has(known));
        const score = chosen === undefined ? undefined : measured.get(chosen);
        if (score === undefined) {
          const known = [...measured.keys()].slice(0, 20).join(", ");
          sink.problem(
            file,
            position + 1,
            `no metric ${chosen ?? "that is known"} of instance "${toText(id)}" (there are: ${known}); --metric names it`,
          );
          continue;
        }
        const seconds = measured.get("inference_runtime");
        sink.add(
          {
            task: {
              ...{ id: `${run}/${toText(id)}`, set: set ?? scenario, category: scenario, subtask: run },
              ...{ prompt: toFields(input).text, answer: toRight(references) },
              split: split === "train" ? "train" : split === "test" ? "test" : undefined,
            },
            worker: model,
            ...{ score, reply: toCompletion(result) },
            inputTokens: measured.get("num_prompt_tokens"),
            outputTokens: measured.get("num_output_tokens") ?? measured.get("num_completion_tokens"),
            durationMs: seconds === undefined ? undefined : seconds * 1_000,
          },
          file,
          position + 1,
        );
      }
    }
  },
};

/** Means by metric, by instance. */
function readStats(file: string): Map<string, Map<string, number>> {
  const rows = readJsonFile(file);
  if (!Array.isArray(rows)) throw badFile(`${file}: must be a list`);
  const byInstance = new Map<string, Map<string, number>>();
  for (const row of rows.map(toFields)) {
    const { instance_id: id, stats, perturbation, train_trial_index: trial } = row;
    if ((perturbation !== undefined && perturbation !== null) || (trial !== undefined && trial !== 0))
      continue;
    const measured = byInstance.get(toText(id)) ?? new Map<string, number>();
    byInstance.set(toText(id), measured);
    for (const stat of Array.isArray(stats) ? stats.map(toFields) : []) {
      const name = toText(toFields(stat.name).name);
      const mean = meanOfStat(stat);
      if (name !== "" && mean !== undefined && !measured.has(name)) measured.set(name, mean);
    }
  }
  return byInstance;
}

function meanOfStat({ mean, sum, count }: SourceRow): number | undefined {
  if (typeof mean === "number") return mean;
  return typeof sum === "number" && typeof count === "number" && count > 0 ? sum / count : undefined;
}

function toRight(references: unknown): unknown {
  const right = (Array.isArray(references) ? references.map(toFields) : []).find(
    ({ tags }) => Array.isArray(tags) && tags.includes("correct"),
  );
  return toFields(right?.output).text;
}

function toCompletion(result: unknown): unknown {
  const { completions } = toFields(result);
  return Array.isArray(completions) ? toFields(completions[0]).text : undefined;
}
