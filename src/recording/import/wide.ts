// Wide tables: one row per question, columns per model. RouterBench puts score, cost and response into columns of
// their own (`model`, `model|total_cost`, `model|model_response`); SPROUT puts all of a model into one nested column.

import { usageError } from "../../base/errors.ts";
import { isObject, toFields } from "../../base/fields.ts";
import { toSeries } from "../../base/format.ts";
import type { SourceRow } from "../../files/read-jsonl.ts";
import { readTable, splitOfName, tableFiles } from "./source-files.ts";
import type { OutcomeLayout } from "./types.ts";
import { fromPythonList, isMissing, toText } from "./values.ts";

const COST = "|total_cost";
const RESPONSE = "|model_response";

export const ROUTER_BENCH: OutcomeLayout = {
  id: "routerbench",
  title: "RouterBench",
  reads:
    "one row per sample: sample_id, prompt, eval_name, and per model `m`, `m|total_cost`, `m|model_response`",
  async read(source, sink, { set = "routerbench" }) {
    for (const file of tableFiles(source)) {
      let models: string[] | undefined;
      await readTable(file, (row, line) => {
        models ??= findModels(row, file);
        const { sample_id: id, prompt, eval_name: category } = row;
        if (isMissing(id)) return sink.problem(file, line, "the row has no sample_id");
        const split = splitOfName(toText(row.split)) ?? splitOfName(file);
        const task = { id: toText(id), set, category, prompt: fromPythonList(prompt), split };
        for (const model of models)
          sink.add(
            {
              task,
              worker: model,
              ...{ score: row[model], cost: row[model + COST], reply: fromPythonList(row[model + RESPONSE]) },
            },
            file,
            line,
          );
      });
    }
  },
};

function findModels(row: SourceRow, file: string): string[] {
  const columns = Object.keys(row);
  requireColumns(columns, ["sample_id", "prompt", "eval_name"], file);
  const named = new Set(
    columns.flatMap((column) =>
      [COST, RESPONSE].filter((end) => column.endsWith(end)).map((end) => column.slice(0, -end.length)),
    ),
  );
  if (named.size === 0) throw usageError(`${file}: has no column such as model${COST}: no model can be told`);
  const unscored = [...named].filter((model) => !columns.includes(model));
  if (unscored.length > 0)
    throw usageError(
      `${file}: has costs or responses of ${toSeries(unscored)}, but no column of that name with scores`,
    );
  return [...named];
}

function requireColumns(there: readonly string[], needed: readonly string[], file: string): void {
  const missing = needed.filter((name) => !there.includes(name));
  if (missing.length > 0)
    throw usageError(
      `${file}: lacks the column${missing.length > 1 ? "s" : ""} ${toSeries(missing)} (there are: ${there.join(", ")})`,
    );
}

const SPROUT_OWN = new Set(["key", "dataset", "dataset_level", "dataset_idx", "prompt", "golden_answer"]);

export const SPROUT: OutcomeLayout = {
  id: "sprout",
  title: "SPROUT",
  reads:
    "Parquet with key, dataset, prompt, golden_answer, and per model { score, num_input_tokens, num_output_tokens, response }",
  async read(source, sink, { set = "sprout" }) {
    for (const file of tableFiles(source)) {
      let models: string[] | undefined;
      await readTable(file, (row, line) => {
        models ??= findNested(row, file);
        const { key, dataset, dataset_level: level, prompt, golden_answer: answer } = row;
        const split = splitOfName(file);
        const id = `${toText(dataset)}/${toText(key)}`;
        const subtask = isMissing(level) ? dataset : `${toText(dataset)} ${toText(level)}`;
        for (const model of models) {
          const nested = row[model];
          if (!isObject(nested)) {
            sink.problem(
              file,
              line,
              `the column "${model}" must hold { score, … }, not ${toText(nested).slice(0, 40)}`,
            );
            continue;
          }
          const fields = toFields(nested);
          sink.add(
            {
              task: { id, set, category: dataset, subtask, prompt, answer, split },
              worker: model,
              ...{ score: fields.score, reply: fields.response },
              ...{ inputTokens: fields.num_input_tokens, outputTokens: fields.num_output_tokens },
            },
            file,
            line,
          );
        }
      });
    }
  },
};

function findNested(row: SourceRow, file: string): string[] {
  const columns = Object.keys(row);
  requireColumns(columns, ["key", "dataset", "prompt"], file);
  const models = columns.filter((column) => !SPROUT_OWN.has(column) && isObject(row[column]));
  if (models.length === 0)
    throw usageError(`${file}: no column holds { score, … } of a model (there are: ${columns.join(", ")})`);
  return models;
}
