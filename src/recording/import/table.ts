// A table of one outcome per row, in any words: `--map` says which column is which. And EmbedLLM, which is such a
// table under names of its own.

import { createHash } from "node:crypto";
import { usageError } from "../../base/errors.ts";
import { shorten, toSeries } from "../../base/format.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { SourceRow } from "../../files/read-jsonl.ts";
import { readTable, splitOfName, tableFiles } from "./source-files.ts";
import type { ImportSink, LayoutOptions, OutcomeLayout } from "./types.ts";
import { isMissing, toText } from "./values.ts";

/** Our fields, and the names that columns often have. The first three must be there. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  prompt: ["prompt", "question", "input", "query"],
  worker: ["worker", "model", "model_name", "model_id"],
  score: ["score", "correct", "label", "acc", "is_correct"],
  id: ["id", "task", "task_id", "question_id", "prompt_id", "sample_id"],
  set: ["set"],
  category: ["category", "dataset", "subject", "eval_name", "task_name"],
  subtask: ["subtask"],
  answer: ["answer", "target", "ground_truth", "golden_answer"],
  given: ["given", "prediction", "extracted"],
  reply: ["reply", "response", "raw_output", "model_response"],
  cost: ["cost", "costUsd", "cost_usd", "total_cost"],
  currency: ["currency"],
  inputTokens: ["inputTokens", "input_tokens", "prompt_tokens"],
  outputTokens: ["outputTokens", "output_tokens", "completion_tokens"],
  durationMs: ["durationMs", "duration_ms", "latency_ms"],
  sample: ["sample"],
  split: ["split"],
};
const NEEDED = ["prompt", "worker", "score"] as const;

export const IMPORT_FIELDS: readonly string[] = Object.keys(FIELDS);

type ColumnOf = (field: string, row: SourceRow) => string | undefined;

export const TABLE: OutcomeLayout = {
  id: "table",
  title: "any table",
  reads: "CSV, JSONL or Parquet with one outcome per row; --map prompt=…,worker=…,score=… names its columns",
  async read(source, sink, options) {
    checkFields(options.columns);
    for (const file of tableFiles(source)) {
      let columnOf: ColumnOf | undefined;
      await readTable(file, (row, line) => {
        columnOf ??= chooseColumns(row, options.columns, file);
        addRow(row, columnOf, { file, line, sink, options, set: "table" });
      });
    }
  },
};

/** Columns of EmbedLLM; questions and models may stand in tables of their own. */
export const EMBED_LLM: OutcomeLayout = {
  id: "embedllm",
  title: "EmbedLLM",
  reads: "CSV with prompt_id, model_id or model_name, label; prompts also from question_order.csv",
  async read(source, sink, options) {
    const prompts = new Map<string, string>();
    const models = new Map<string, string>();
    const tables: string[] = [];
    for (const file of tableFiles(source)) {
      if (/question_order/.test(file))
        await readTable(file, (row) => void prompts.set(toText(row.prompt_id), toText(row.prompt)));
      else if (/model_order/.test(file))
        await readTable(file, (row) => void models.set(toText(row.model_id), toText(row.model_name)));
      else tables.push(file);
    }
    for (const file of tables) {
      let columnOf: ColumnOf | undefined;
      await readTable(file, (row, line) => {
        const id = toText(row.prompt_id ?? row.question_id);
        const model = row.model_name ?? row.model ?? models.get(toText(row.model_id)) ?? row.model_id;
        const full = { ...row, prompt: row.prompt ?? row.question ?? prompts.get(id), model, id };
        columnOf ??= chooseColumns(
          full,
          new Map([
            ["worker", "model"],
            ["score", "label"],
            ["id", "id"],
          ]),
          file,
        );
        addRow({ ...full, split: splitOfName(file) }, columnOf, {
          ...{ file, line, sink, options, set: "embedllm" },
        });
      });
    }
  },
};

function checkFields(columns: ReadonlyMap<string, string>): void {
  for (const field of columns.keys())
    if (!IMPORT_FIELDS.includes(field))
      throw usageError(
        `--map: no field "${field}" (there are: ${IMPORT_FIELDS.join(", ")}).${didYouMean(field, IMPORT_FIELDS)}`,
      );
}

function chooseColumns(row: SourceRow, mapped: ReadonlyMap<string, string>, file: string): ColumnOf {
  const there = Object.keys(row);
  const chosen = new Map<string, string>();
  const missing: string[] = [];
  for (const [field, usual] of Object.entries(FIELDS)) {
    const named = mapped.get(field);
    const column = named ?? usual.find((name) => there.includes(name));
    if (column !== undefined && there.includes(column)) chosen.set(field, column);
    else if (named !== undefined) missing.push(`"${named}" for ${field}`);
    else if ((NEEDED as readonly string[]).includes(field)) missing.push(`one for ${field}`);
  }
  // Rows of JSONL may have fields that the first one lacks.
  if (missing.length === 0)
    return (field, each) => chosen.get(field) ?? FIELDS[field]!.find((name) => Object.hasOwn(each, name));
  if (there.length === 1 && /[;\t]/.test(there[0]!))
    throw usageError(`${file}: has one column, "${shorten(there[0]!)}": columns are separated by commas`);
  const hint = missing.some((name) => name.startsWith("one for")) ? ". --map field=column names it" : "";
  throw usageError(`${file}: lacks a column: ${toSeries(missing)} (there are: ${there.join(", ")})${hint}`);
}

interface Place {
  file: string;
  line: number;
  sink: ImportSink;
  options: LayoutOptions;
  set: string;
}

function addRow(row: SourceRow, columnOf: ColumnOf, { file, line, sink, options, set }: Place): void {
  const read = (field: string): unknown => {
    const column = columnOf(field, row);
    return column === undefined ? undefined : row[column];
  };
  const prompt = toText(read("prompt"));
  const split = row.split === "train" || row.split === "test" ? row.split : toSide(read("split"));
  const sample = read("sample");
  if (!isMissing(sample) && !Number.isInteger(Number(sample))) {
    sink.problem(file, line, `the sample must be a whole number, not "${toText(sample)}"`);
    return;
  }
  sink.add(
    {
      task: {
        // Without an id the same words are the same task.
        id: toText(read("id")) || `task-${createHash("sha256").update(prompt).digest("hex").slice(0, 16)}`,
        set: options.set ?? (toText(read("set")) || set),
        ...{ category: read("category"), subtask: read("subtask"), prompt, answer: read("answer"), split },
      },
      worker: toText(read("worker")),
      sample: isMissing(sample) ? undefined : Number(sample),
      ...{ score: read("score"), answer: read("given"), reply: read("reply") },
      ...{ cost: read("cost"), currency: read("currency") },
      ...{ inputTokens: read("inputTokens"), outputTokens: read("outputTokens") },
      durationMs: read("durationMs"),
    },
    file,
    line,
  );
}

function toSide(value: unknown): "train" | "test" | undefined {
  return isMissing(value) ? undefined : splitOfName(toText(value));
}
