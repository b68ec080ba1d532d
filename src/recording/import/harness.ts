// Logs of evaluation harnesses: lm-evaluation-harness (`samples_<task>_<date>.jsonl` beside `results_<date>.json`) and
// OpenAI evals (one JSONL of events per model and eval).

import { basename, dirname, join } from "node:path";
import { usageError } from "../../base/errors.ts";
import { isObject, toFields } from "../../base/fields.ts";
import { badFile } from "../../files/problems.ts";
import type { SourceRow } from "../../files/read-jsonl.ts";
import { readJsonFile, readTable, sourceFiles } from "./source-files.ts";
import type { OutcomeLayout } from "./types.ts";
import { toText } from "./values.ts";

const SAMPLES = /^samples_(.+)_(\d{4}-\d\d-\d\dT.+?)\.jsonl$/;
/** The first that is there is the score. */
const METRICS = [
  "exact_match",
  "acc",
  "pass@1",
  "pass_at_1",
  "prompt_level_strict_acc",
  "acc_norm",
  "em",
  "f1",
];

export const LM_EVAL: OutcomeLayout = {
  id: "lm-eval",
  title: "lm-evaluation-harness",
  hasMetrics: true,
  reads:
    "a result folder with samples_<task>_<date>.jsonl (--log_samples) and results_<date>.json; --metric names the score",
  async read(source, sink, { set, metric }) {
    const latest = new Map<string, { file: string; task: string; date: string; model: string }>();
    for (const file of sourceFiles(source, SAMPLES, "samples_<task>_<date>.jsonl (run with --log_samples)")) {
      const [, task = basename(file), date = ""] = SAMPLES.exec(basename(file)) ?? [];
      const model = findModel(file, date);
      const key = JSON.stringify([model, task]);
      const before = latest.get(key);
      if (!before || date >= before.date) latest.set(key, { file, task, date, model });
    }
    for (const { file, task, model } of latest.values()) {
      let chosen: { metric: string; filter: unknown } | undefined;
      await readTable(file, (row, line) => {
        chosen ??= { metric: chooseMetric(row, metric, file), filter: row.filter };
        // One row for each filter: the first one's are the outcomes.
        if (row.filter !== chosen.filter) return;
        const { doc_id: id, target, filtered_resps: filtered, resps } = row;
        sink.add(
          {
            task: {
              ...{ id: `${task}/${toText(id)}`, set: set ?? task, category: task },
              ...{ prompt: toContext(row), answer: target },
            },
            worker: model,
            ...{ score: row[chosen.metric], answer: toGenerated(filtered), reply: toGenerated(resps) },
          },
          file,
          line,
        );
      });
    }
  },
};

/** By the results of the same run; else by the folder, where a slash is written as two underscores. */
function findModel(file: string, date: string): string {
  const results = join(dirname(file), `results_${date}.json`);
  try {
    const { model_name: name } = toFields(readJsonFile(results));
    if (typeof name === "string" && name !== "") return name;
  } catch (error) {
    if (!/ENOENT/.test(String((error as Error).message) + String((error as Error).cause))) throw error;
  }
  return basename(dirname(file)).replaceAll("__", "/");
}

function chooseMetric(row: SourceRow, wanted: string | undefined, file: string): string {
  const there = Object.keys(row).filter(
    (key) => ["number", "boolean"].includes(typeof row[key]) && key !== "doc_id",
  );
  const found = wanted ?? METRICS.find((name) => there.includes(name));
  if (found !== undefined && there.includes(found)) return found;
  throw usageError(
    `${file}: ${wanted === undefined ? "no metric that is known" : `no metric "${wanted}"`} (there are: ${there.join(", ") || "none"}). --metric names the score`,
  );
}

/** What the model read: the first argument, as old and new versions write it. */
function toContext({ arguments: given, doc }: SourceRow): unknown {
  const first = Array.isArray(given) ? given[0] : Object.values(toFields(given))[0];
  const context = Array.isArray(first) ? first[0] : toFields(first).arg_0;
  if (typeof context === "string" && context !== "") return context;
  const { question, query, prompt, text } = toFields(doc);
  return question ?? query ?? prompt ?? text;
}

/** A generated text; log-likelihoods of options are none. */
function toGenerated(value: unknown): string | undefined {
  const first = Array.isArray(value) ? value[0] : value;
  const inner = Array.isArray(first) ? first[0] : first;
  return typeof inner === "string" && Number.isNaN(Number(inner || "x"))
    ? inner
    : typeof first === "string"
      ? first
      : undefined;
}

export const OPENAI_EVALS: OutcomeLayout = {
  id: "openai-evals",
  title: "OpenAI evals",
  hasMetrics: true,
  reads:
    "JSONL logs with a spec, sampling or raw_sample events (the prompt) and match or metrics events (the score)",
  async read(source, sink, { set, metric }) {
    for (const file of sourceFiles(source, /\.jsonl(?:\.gz)?$/i, "event log (.jsonl)")) {
      let spec: { model: string; name: string } | undefined;
      const prompts = new Map<string, unknown>();
      const replies = new Map<string, unknown>();
      const scored: { id: string; line: number; data: SourceRow; type: unknown }[] = [];
      await readTable(file, (row, line) => {
        if (isObject(row.spec)) spec = toSpec(toFields(row.spec), file);
        const { sample_id: id, type } = row;
        if (typeof id !== "string") return;
        const data = toFields(row.data);
        if (type === "sampling" || type === "raw_sample") {
          const prompt = data.prompt ?? data.input;
          if (prompt !== undefined) prompts.set(id, prompt);
          if (data.sampled !== undefined) replies.set(id, data.sampled);
        } else if (type === "match" || type === "metrics") scored.push({ id, line, data, type });
      });
      if (!spec) throw badFile(`${file}: has no "spec" line, so its model is not known`);
      for (const { id, line, data } of scored) {
        const score = metric === undefined ? (data.correct ?? data.accuracy ?? data.score) : data[metric];
        const sampled = replies.get(id) ?? data.sampled;
        sink.add(
          {
            task: {
              ...{ id, set: set ?? spec.name, category: spec.name },
              ...{ prompt: toPromptText(prompts.get(id) ?? data.prompt), answer: data.expected },
            },
            worker: spec.model,
            ...{ score, answer: data.picked, reply: Array.isArray(sampled) ? sampled[0] : sampled },
          },
          file,
          line,
        );
      }
    }
  },
};

function toSpec({ completion_fns: models, eval_name: name, base_eval: base }: SourceRow, file: string) {
  const model = Array.isArray(models) ? models[0] : undefined;
  if (typeof model !== "string") throw badFile(`${file}: "spec" names no model in "completion_fns"`);
  return { model, name: toText(name ?? base) || basename(file) };
}

/** Messages as their texts, one after the other. */
function toPromptText(prompt: unknown): unknown {
  if (!Array.isArray(prompt)) return prompt;
  return prompt.map((message) => toText(toFields(message).content ?? message)).join("\n\n");
}
