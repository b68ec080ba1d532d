// One JSON file per model, or per pool: LLMRouterBench's result files and RouterEval's score matrices.

import { basename, sep } from "node:path";
import { isObject, toFields } from "../../base/fields.ts";
import { badFile } from "../../files/problems.ts";
import { readJsonFile, sourceFiles, splitOfName } from "./source-files.ts";
import type { OutcomeLayout } from "./types.ts";
import { toText } from "./values.ts";

/** `…/<dataset>/<split>/<model>/<time>.json`. */
const TIME = /(\d{8}_\d{6})\.json$/;

export const LLM_ROUTER_BENCH: OutcomeLayout = {
  id: "llmrouterbench",
  title: "LLMRouterBench",
  reads: "results/bench/<dataset>/<split>/<model>/<time>.json with `records`; of several runs the latest",
  async read(source, sink, { set }) {
    const latest = new Map<string, { file: string; run: ReturnType<typeof readRun> }>();
    for (const file of sourceFiles(source, /\.json$/i, "result file (.json)")) {
      const run = readRun(file);
      if (run.isDemo) continue;
      const key = JSON.stringify([run.dataset, run.split, run.model]);
      const before = latest.get(key);
      if (!before || timeOf(file) >= timeOf(before.file)) latest.set(key, { file, run });
    }
    for (const { file, run } of latest.values()) {
      for (const [position, value] of run.records.entries()) {
        const record = toFields(value);
        const {
          index,
          origin_query: query,
          prompt,
          ground_truth: answer,
          prediction,
          raw_output: raw,
        } = record;
        sink.add(
          {
            task: {
              id: `${run.dataset}/${run.split}/${toText(index ?? position)}`,
              ...{ set: set ?? run.dataset, category: run.dataset, answer },
              ...{ prompt: prompt ?? query, split: splitOfName(run.split) },
            },
            worker: run.model,
            ...{ score: record.score, answer: prediction, reply: raw },
            ...{
              cost: record.cost,
              inputTokens: record.prompt_tokens,
              outputTokens: record.completion_tokens,
            },
          },
          file,
          position + 1,
        );
      }
    }
  },
};

function readRun(file: string) {
  const fields = toFields(readJsonFile(file));
  const { records } = fields;
  if (!Array.isArray(records)) throw badFile(`${file}: has no list "records"`);
  const [dataset, split, model] = file.split(sep).slice(-4, -1);
  const name = (value: unknown, fallback: string | undefined, what: string) => {
    const text = toText(value) || fallback;
    if (text) return text;
    throw badFile(`${file}: neither the file nor its path names the ${what}`);
  };
  return {
    records,
    dataset: name(fields.dataset_name, dataset, "dataset"),
    split: name(fields.split, split, "split"),
    model: name(fields.model_name, model, "model"),
    isDemo: fields.demo === true,
  };
}

function timeOf(file: string): string {
  return TIME.exec(file)?.[1] ?? "";
}

const PARTS = ["train", "val", "test"] as const;

export const ROUTER_EVAL: OutcomeLayout = {
  id: "routereval",
  title: "RouterEval",
  reads:
    "JSON with model, prompt.{train,val,test}_prompt and data.{train,val,test}_score (rows of scores by model)",
  async read(source, sink, { set }) {
    for (const file of sourceFiles(source, /\.json$/i, "score file (.json, converted from .pkl)")) {
      const { model, prompt, data } = toFields(readJsonFile(file));
      if (!Array.isArray(model) || !model.every((name) => typeof name === "string"))
        throw badFile(`${file}: "model" must be a list of names`);
      if (!isObject(prompt) || !isObject(data))
        throw badFile(
          `${file}: needs "prompt" and "data"; the published pickle must be converted with its prompts`,
        );
      const name = basename(file).replace(/\.json$/i, "");
      for (const part of PARTS) {
        const [prompts, scores] = [prompt[`${part}_prompt`] ?? [], data[`${part}_score`] ?? []];
        if (!Array.isArray(prompts) || !Array.isArray(scores) || prompts.length !== scores.length)
          throw badFile(
            `${file}: "${part}_prompt" and "${part}_score" must be lists of the same length, not ${lengthOf(prompts)} and ${lengthOf(scores)}`,
          );
        for (const [position, row] of scores.entries()) {
          if (!Array.isArray(row) || row.length !== model.length) {
            const problem = `"${part}_score" must have ${model.length} scores in each row, not ${lengthOf(row)}`;
            sink.problem(file, position + 1, problem);
            continue;
          }
          const task = {
            ...{ id: `${name}/${part}/${position}`, set: set ?? name, category: name },
            ...{ prompt: prompts[position], split: part === "test" ? ("test" as const) : ("train" as const) },
          };
          for (const [number, worker] of model.entries())
            sink.add({ task, worker, score: row[number] }, file, position + 1);
        }
      }
    }
  },
};

function lengthOf(value: unknown): string {
  return Array.isArray(value) ? String(value.length) : "none";
}
