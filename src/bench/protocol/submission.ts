// RouterArena's submission: one JSON file with a chosen model per query, one for the rewordings, and the config that
// names the models. Replies, costs and accuracies are filled in by the leaderboard's own pipeline.

import { usageError } from "../../base/errors.ts";
import { isObject } from "../../base/fields.ts";
import { Problems, quote } from "../../files/problems.ts";
import { readJson } from "../../files/read-jsonl.ts";
import type { GradedTask } from "../../task/types.ts";

/** An entry of the prediction file, in the leaderboard's own words. */
export interface Prediction {
  "global index": string;
  prompt: string;
  /** The chosen model. */
  prediction: string;
  generated_result: null;
  cost: null;
  accuracy: null;
}

export function toPredictions(
  queries: readonly Pick<GradedTask, "id" | "prompt">[],
  chosen: readonly string[],
): Prediction[] {
  return queries.map(({ id, prompt }, number) => ({
    "global index": id,
    prompt,
    prediction: chosen[number]!,
    generated_result: null,
    cost: null,
    accuracy: null,
  }));
}

export function toSubmissionConfig(name: string, models: readonly string[]): object {
  return { pipeline_params: { router_name: name, models } };
}

/** The leaderboard's own list of queries (`router_data.json`): a router needs no outcomes to choose. */
export async function readQueries(file: string): Promise<GradedTask[]> {
  const problems = new Problems();
  const tasks = new Map<string, GradedTask>();
  await readJson(
    file,
    (row, line) => {
      const id = row["global index"] ?? row.global_index;
      const prompt = row.prompt_formatted ?? row.prompt;
      if (!isObject(row) || typeof id !== "string" || id === "")
        problems.add(file, line, `"global index" must be a text, not ${quote(id)}`);
      else if (typeof prompt !== "string" || prompt === "")
        problems.add(file, line, `"prompt_formatted" or "prompt" must be a text, not ${quote(prompt)}`);
      else if (tasks.has(id)) problems.add(file, line, `the query "${id}" is there twice`);
      else
        tasks.set(id, {
          ...{ id, prompt, set: "routerarena", category: "", family: "", answer: "" },
          grader: "recorded",
        });
    },
    problems,
  );
  problems.throwIfAny();
  if (tasks.size === 0) throw usageError(`${file} holds no query`);
  return [...tasks.values()];
}
