// The whole way from files as their makers lay them out to a recording, without the downloads.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { sweVerified } from "./rows.mjs";

const SCRIPT = fileURLToPath(new URL("../recordings.mjs", import.meta.url));
const base = mkdtempSync(join(tmpdir(), "tutti-recordings-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const put = (path, content) => {
  const file = join(base, "source", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
};
const run = (...words) =>
  spawnSync(
    process.execPath,
    [SCRIPT, ...words, "--out", join(base, "out"), "--source", join(base, "source")],
    {
      encoding: "utf8",
    },
  );
const readRows = (name, file) =>
  readFileSync(join(base, "out", name, file), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const scoresOf = (name) =>
  readRows(name, "outcomes.jsonl").map(({ task, worker, score }) => [task, worker, score]);

it("builds RouteLLM: a CSV per subject, a column per model", () => {
  put(
    "routellm/RouteLLM/routellm/evals/mmlu/responses/mmlu_anatomy.csv",
    'prompt,gpt-4-1106-preview,mistralai/Mixtral-8x7B-Instruct-v0.1\n"Which bone,\nif any?",True,False\nWhich nerve?,False,True\n',
  );
  const { status, stdout } = run("routellm", "--offline");
  expect([status, stdout]).toEqual([0, expect.stringContaining("4 outcomes")]);
  expect(scoresOf("routellm")).toEqual([
    ["mmlu/anatomy/0", "gpt-4-1106-preview", 1],
    ["mmlu/anatomy/0", "mistralai/Mixtral-8x7B-Instruct-v0.1", 0],
    ["mmlu/anatomy/1", "gpt-4-1106-preview", 0],
    ["mmlu/anatomy/1", "mistralai/Mixtral-8x7B-Instruct-v0.1", 1],
  ]);
});

it("builds RouterDC: what is right by its probability, and attempts as their share, with its split", () => {
  const scores = (a, b) => ({ "org/A": a, "org/B": b });
  put("routerdc/RouterDC/datasets/split2_model7/mmlu_train.json", [
    { question: "Q1", scores: scores(0.91, 0) },
  ]);
  put("routerdc/RouterDC/datasets/split2_model7/gsm8k-test.json", [
    { question: "Q2", scores: scores(0.4, 1) },
  ]);
  expect(run("routerdc", "--offline").status).toBe(0);
  expect(scoresOf("routerdc")).toEqual([
    ["gsm8k-test/0", "a", 0.4],
    ["gsm8k-test/0", "b", 1],
    ["mmlu_train/0", "a", 1],
    ["mmlu_train/0", "b", 0],
  ]);
  expect(readRows("routerdc", "tasks.jsonl").map(({ id, category, split }) => [id, category, split])).toEqual(
    [
      ["gsm8k-test/0", "gsm8k", "test"],
      ["mmlu_train/0", "mmlu", "train"],
    ],
  );
});

it("builds RouterArena: a JSONL file per model, with dollars and tokens", () => {
  const row = (model, score) => ({
    ...{ global_index: "AIME_112", question: "How many?", llm_selected: model, generated_answer: "610" },
    token_usage: { input_tokens: 296, output_tokens: 686 },
    evaluation_result: { ground_truth: "610", score, inference_cost: 0.0003 },
  });
  for (const [model, score] of [
    ["m-1", 1],
    ["m-2", 0],
  ])
    put(`routerarena/RouterArena/cached_results/${model}.jsonl`, `${JSON.stringify(row(model, score))}\n`);
  expect(run("routerarena", "--offline").status).toBe(0);
  expect(readRows("routerarena", "outcomes.jsonl")[0]).toMatchObject({
    ...{ task: "AIME_112", worker: "m-1", score: 1, costUsd: 0.0003, inputTokens: 296, outputTokens: 686 },
  });
});

it("builds MMLU-Pro: a folder per model, letters compared", () => {
  const row = (pred) => ({
    ...{ question_id: 70, question: "Which?", options: ["one", "two"], answer: "B", category: "business" },
    ...{ src: "ori_mmlu-business_ethics", pred },
  });
  const at = "mmlu-pro/MMLU-Pro/eval_results";
  put(`${at}/gpt4o/business_result.json`, [row("B")]);
  put(`${at}/gpt4o/business_summary.json`, { business: { corr: 1 } });
  put(`${at}/model_outputs_Llama-2-7b-hf_5shots.zip.d/model_outputs_Llama-2-7b-hf_5shots.json`, [row(null)]);
  expect(run("mmlu-pro", "--offline").status).toBe(0);
  expect(scoresOf("mmlu-pro")).toEqual([
    ["70", "gpt4o", 1],
    ["70", "Llama-2-7b-hf", 0],
  ]);
  expect(readRows("mmlu-pro", "tasks.jsonl")[0].prompt).toBe("Which?\nA. one\nB. two");
});

it("reads runs of one agent with each model on SWE-bench Verified, where they are told one by one", () => {
  const details = {
    "astropy__astropy-12907": { api_calls: 32, cost: 0.72, resolved: true },
    "astropy__astropy-1": { api_calls: 1, cost: 0.1, resolved: false },
  };
  put("swe-verified/swe-bench.github.io/data/leaderboards.json", {
    leaderboards: [
      {
        name: "bash-only",
        results: [
          { name: "Model X", folder: "20260217_mini-v2.0.0_x", per_instance_details: details },
          { name: "Another agent", folder: "20260101_other", per_instance_details: details },
          { name: "Without details", folder: "20260217_mini-v2.0.0_y" },
        ],
      },
      { name: "Lite", results: [{ name: "Model Z", folder: "mini-z", per_instance_details: details }] },
    ],
  });
  const texts = new Map([["astropy__astropy-12907", "It breaks."]]);
  expect([...sweVerified(join(base, "source", "swe-verified"), { texts })]).toEqual([
    {
      ...{ id: "astropy__astropy-12907", category: "astropy/astropy", subtask: "astropy/astropy" },
      ...{ prompt: "It breaks.", model: "Model X", score: 1, cost: 0.72 },
    },
  ]);
});

it("says in one line what is wrong: a name, a folder that is there, files that are not there, a pickle", () => {
  put("sprout/nothing.txt", "");
  mkdirSync(join(base, "out", "embedllm"), { recursive: true });
  for (const [words, said] of [
    [["routelm"], 'there is no recording "routelm"'],
    [[], "npm run recordings -- NAME"],
    [["embedllm", "--offline"], "is there already"],
    [["llmrouterbench", "--offline"], "--offline fetches nothing"],
    [["routerbench", "--offline"], "add --trust-pickles"],
  ]) {
    const { status, stderr } = run(...words);
    expect([status, stderr]).toEqual([2, expect.stringContaining(said)]);
  }
});
