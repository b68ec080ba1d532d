import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createFiles } from "../../testing/temporary-files.ts";
import { loadRecording } from "../load.ts";
import { readProtocolFields } from "../protocol-fields.ts";
import { findLayout, type ImportOptions, importRecording } from "./layouts.ts";

const files = createFiles();
const SAMPLES = join(dirname(fileURLToPath(import.meta.url)), "samples");
let made = 0;

async function imported(format: string, source: string, options: Partial<ImportOptions> = {}) {
  const folder = join(files.folder, `out-${made++}`);
  const summary = await importRecording({
    ...{ source, layout: findLayout(format), folder, scoreMax: 1, duplicates: "refuse", columns: new Map() },
    ...options,
  });
  return { summary, folder, recording: await loadRecording(options.folder ?? folder) };
}

/** What it says, and that nothing is left of it. */
async function refused(
  format: string,
  source: string,
  options: Partial<ImportOptions> = {},
): Promise<string> {
  const folder = join(files.folder, `refused-${made++}`, "inside");
  const failure = await importRecording({
    ...{ source, layout: findLayout(format), folder, scoreMax: 1, duplicates: "refuse", columns: new Map() },
    ...options,
  }).then(
    () => "",
    (error: Error) => error.message,
  );
  expect(existsSync(folder)).toBe(false);
  expect(existsSync(dirname(folder)) ? readdirSync(dirname(folder)) : []).toEqual([]);
  return failure;
}

const toCsv = (rows: Record<string, unknown>[]) => {
  const columns = Object.keys(rows[0]!);
  const cell = (value: unknown) => `"${String(value).replaceAll('"', '""')}"`;
  return [columns.join(","), ...rows.map((row) => columns.map((name) => cell(row[name])).join(","))].join(
    "\n",
  );
};

describe("RouterBench", () => {
  const rows = [0, 1, 2].map((i) => ({
    sample_id: `sums.test.${i}`,
    prompt: `['Add well.', "What's ${i} + 1?"]`,
    eval_name: "sums",
    alpha: 1,
    "alpha|model_response": `['${i + 1}']`,
    "alpha|total_cost": 0.01,
    beta: 0,
    "beta|model_response": "['no\\nidea']",
    "beta|total_cost": 0.001,
    oracle_model_to_route_to: "alpha",
  }));

  it("is one task per row and one outcome per model, with dollars and replies", async () => {
    const { recording, summary } = await imported("routerbench", files.write("rb/train.csv", toCsv(rows)));
    expect(recording.workersOf("routerbench")).toEqual(["alpha", "beta"]);
    expect(recording.tasksOf("routerbench")[0]).toMatchObject({
      ...{ id: "sums.test.0", category: "sums", prompt: "Add well.\nWhat's 0 + 1?" },
    });
    expect(recording.outcomesOf("sums.test.1", "beta")[0]).toMatchObject({
      ...{ score: 0, costUsd: 0.001, reply: "no\nidea" },
    });
    expect(summary.workers[0]).toMatchObject({ id: "alpha", outcomes: 3, right: 3, missing: 0 });
    expect(summary.workers[0]!.costUsd).toBeCloseTo(0.03);
  });

  it("without scores of a model, or without a column, is refused by name", async () => {
    const unscored = rows.map(({ beta: _, ...row }) => row);
    expect(await refused("routerbench", files.write("rb-a.csv", toCsv(unscored)))).toContain(
      "costs or responses of beta, but no column",
    );
    const nameless = rows.map(({ eval_name: _, ...row }) => row);
    expect(await refused("routerbench", files.write("rb-b.csv", toCsv(nameless)))).toContain(
      "lacks the column eval_name",
    );
  });

  it("as the published pickle is not read, but told how to convert", async () => {
    expect(await refused("routerbench", files.write("routerbench_0shot.pkl", "x"))).toContain("read_pickle");
  });
});

describe("LLMRouterBench", () => {
  const write = (path: string, score: number, extra = {}) =>
    files.write(
      path,
      JSON.stringify({
        ...{ performance: score, cost: 0.02, ...extra },
        records: [0, 1].map((index) => ({
          ...{ index, origin_query: `Puzzle ${index}`, prompt: `Solve puzzle ${index}.`, prediction: "4" },
          ...{
            ground_truth: "4",
            score,
            prompt_tokens: 15,
            completion_tokens: 5,
            cost: 0.0001,
            raw_output: "It is 4.",
          },
        })),
      }),
    );

  it("takes the latest run of a model and leaves demos out", async () => {
    write("lrb/puzzles/test/alpha/alpha_20250101_000000.json", 0);
    write("lrb/puzzles/test/alpha/alpha_20250601_000000.json", 1);
    write("lrb/puzzles/test/beta/beta_20250101_000000.json", 0);
    write("lrb/puzzles/test/demo/demo_20250101_000000.json", 0, { demo: true });
    const { recording, folder } = await imported("llmrouterbench", join(files.folder, "lrb"));
    expect(recording.workersOf("puzzles")).toEqual(["alpha", "beta"]);
    expect(recording.outcomesOf("puzzles/test/0", "alpha")[0]).toMatchObject({
      ...{ score: 1, answer: "4", reply: "It is 4.", costUsd: 0.0001, tokens: 5 },
    });
    expect((await readProtocolFields(folder)).get("puzzles/test/0")).toEqual({ split: "test" });
  });
});

describe("SPROUT", () => {
  it("reads nested columns of a Parquet file", async () => {
    const { recording, folder } = await imported("sprout", join(SAMPLES, "sprout-train.parquet"));
    expect(recording.workersOf("sprout")).toEqual(["alpha", "beta"]);
    expect(recording.tasksOf("sprout")).toHaveLength(12);
    expect(recording.outcomesOf("sums/k3", "beta")[0]).toMatchObject({
      score: 1,
      tokens: 5,
      reply: "beta says 3",
    });
    expect((await readProtocolFields(folder)).get("sums/k3")).toEqual({ split: "train" });
  });
});

describe("RouterEval", () => {
  const score = (scores: number[][]) => ({
    model: ["alpha", "beta"],
    prompt: { train_prompt: ["One?", "Two?"], test_prompt: ["Three?"] },
    data: { train_score: scores, test_score: [[0, 1]] },
  });

  it("is a matrix of scores per part", async () => {
    const file = files.write(
      "re/arc.json",
      JSON.stringify(
        score([
          [1, 0],
          [0.5, 1],
        ]),
      ),
    );
    const { recording } = await imported("routereval", file);
    expect(recording.outcomesOf("arc/train/1", "alpha")[0]!.score).toBe(0.5);
    expect(recording.tasksOf("arc").map(({ prompt }) => prompt)).toEqual(["One?", "Two?", "Three?"]);
  });

  it("with a row too short is refused by line", async () => {
    const file = files.write("re-short/arc.json", JSON.stringify(score([[1, 0], [1]])));
    expect(await refused("routereval", file)).toContain(`${file}:2: "train_score" must have 2 scores`);
  });
});

describe("EmbedLLM", () => {
  it("takes prompts and names of models from tables of their own", async () => {
    files.write("el/question_order.csv", "prompt_id,prompt\n0,Is it so?\n1,Is it not?\n");
    files.write("el/model_order.csv", "model_id,model_name\n7,alpha\n8,beta\n");
    files.write("el/train.csv", "prompt_id,model_id,label,category\n0,7,1,logic\n1,7,0,logic\n");
    files.write("el/test.csv", "prompt_id,model_id,label,category\n0,8,0,logic\n1,8,1,logic\n");
    // A question on both sides keeps the first side: prompts, not rows, are split there.
    const { recording } = await imported("embedllm", join(files.folder, "el"));
    expect(recording.workersOf("embedllm").toSorted()).toEqual(["alpha", "beta"]);
    expect(recording.outcomesOf("1", "beta")[0]!.score).toBe(1);
  });
});

describe("HELM", () => {
  const run = (model: string, mean: number, stats = "exact_match") => {
    const folder = `helm/sums:level=1,model=${model}`;
    files.write(
      `${folder}/run_spec.json`,
      JSON.stringify({ name: `sums:level=1,model=${model}`, adapter_spec: { model: `maker/${model}` } }),
    );
    const instance = (perturbation?: object) => ({
      instance: {
        ...{ id: "id1", input: { text: "1 + 1?" }, split: "test", perturbation },
        references: [{ output: { text: "2" }, tags: ["correct"] }],
      },
      ...{ train_trial_index: 0, result: { completions: [{ text: " 2" }] } },
    });
    files.write(
      `${folder}/scenario_state.json`,
      JSON.stringify({ request_states: [instance(), instance({ name: "typos" })] }),
    );
    const stat = (name: string, value: number) => ({ name: { name }, mean: value, count: 1, sum: value });
    files.write(
      `${folder}/per_instance_stats.json`,
      JSON.stringify([
        {
          instance_id: "id1",
          train_trial_index: 0,
          stats: [stat(stats, mean), stat("num_output_tokens", 3), stat("inference_runtime", 0.5)],
        },
        {
          instance_id: "id1",
          train_trial_index: 0,
          perturbation: { name: "typos" },
          stats: [stat(stats, 0)],
        },
      ]),
    );
  };

  it("joins questions, completions and statistics of a run, without perturbed ones", async () => {
    run("alpha", 1);
    run("beta", 0);
    const { recording } = await imported("helm", join(files.folder, "helm"));
    expect(recording.outcomesOf("sums:level=1/id1", "maker/alpha")[0]).toMatchObject({
      ...{ score: 1, reply: " 2", tokens: 3, durationMs: 500 },
    });
    expect(recording.tasksOf("sums")[0]).toMatchObject({
      answer: "2",
      category: "sums",
      family: "sums:level=1",
    });
  });

  it("with an unknown metric names those that are there", async () => {
    expect(await refused("helm", join(files.folder, "helm"), { metric: "bleu" })).toContain("exact_match");
  });
});

describe("lm-evaluation-harness", () => {
  it("reads samples of the latest run, one filter, and the model's name from the results", async () => {
    const date = "2025-01-02T03-04-05.678901";
    const row = (filter: string, doc: number, match: number) => ({
      ...{ doc_id: doc, doc: { question: "?" }, target: "2", resps: [["So it is 2"]], filtered_resps: ["2"] },
      ...{ arguments: { gen_args_0: { arg_0: `Question ${doc}: 1 + 1?` } }, filter, exact_match: match },
    });
    files.write(
      `lm/maker__alpha/results_${date}.json`,
      JSON.stringify({ model_name: "maker/alpha", results: {} }),
    );
    files.writeRows(
      `lm/maker__alpha/samples_sums_${date}.jsonl`,
      row("strict", 0, 1),
      row("loose", 0, 0),
      row("strict", 1, 0),
    );
    files.writeRows("lm/maker__alpha/samples_sums_2024-01-02T03-04-05.678901.jsonl", row("strict", 0, 0));
    files.writeRows(`lm/maker__beta/samples_sums_${date}.jsonl`, row("strict", 0, 0), row("strict", 1, 1));
    const { recording } = await imported("lm-eval", join(files.folder, "lm"));
    expect(recording.workersOf("sums").toSorted()).toEqual(["maker/alpha", "maker/beta"]);
    expect(recording.outcomesOf("sums/0", "maker/alpha")).toMatchObject([
      { score: 1, answer: "2", reply: "So it is 2" },
    ]);
    expect(recording.tasksOf("sums")[1]!.prompt).toBe("Question 1: 1 + 1?");
  });
});

describe("OpenAI evals", () => {
  const log = (model: string, correct: boolean) => [
    { spec: { completion_fns: [model], eval_name: "sums.test.v0" } },
    { final_report: { accuracy: 0.5 } },
    {
      event_id: 0,
      sample_id: "sums.0",
      type: "sampling",
      data: { prompt: [{ role: "user", content: "1 + 1?" }], sampled: ["2"] },
    },
    { event_id: 1, sample_id: "sums.0", type: "match", data: { correct, expected: "2", picked: "2" } },
  ];

  it("joins what was sampled with whether it matched", async () => {
    files.writeRows("oe/alpha.jsonl", ...log("alpha", true));
    files.writeRows("oe/beta.jsonl", ...log("beta", false));
    const { recording } = await imported("openai-evals", join(files.folder, "oe"));
    expect(recording.tasksOf("sums.test.v0")[0]).toMatchObject({ prompt: "1 + 1?", answer: "2" });
    expect(recording.outcomesOf("sums.0", "alpha")[0]).toMatchObject({ score: 1, reply: "2", answer: "2" });
    expect(recording.outcomesOf("sums.0", "beta")[0]!.score).toBe(0);
  });

  it("without a spec is refused by file", async () => {
    const file = files.writeRows("oe-bad.jsonl", ...log("alpha", true).slice(1));
    expect(await refused("openai-evals", file)).toContain(`${file}: has no "spec" line`);
  });
});

describe("any table", () => {
  const columns = new Map([
    ["prompt", "question"],
    ["worker", "llm"],
    ["score", "points"],
    ["cost", "price"],
  ]);
  const row = (question: string, llm: string, points: unknown, extra = {}) => ({
    question,
    llm,
    points,
    ...extra,
  });

  it("is read by its mapping, and its scores by what is fully right", async () => {
    const file = files.writeRows(
      "t.jsonl",
      row("a?", "alpha", 100),
      row("a?", "beta", "50"),
      row("b?", "alpha", 0),
      row("b?", "beta", 100),
    );
    const { recording } = await imported("table", file, {
      columns: new Map([...columns].slice(0, 3)),
      scoreMax: 100,
    });
    const [first] = recording.tasksOf("table");
    expect(recording.outcomesOf(first!.id, "beta")[0]!.score).toBe(0.5);
    expect(recording.workersOf("table")).toEqual(["alpha", "beta"]);
  });

  it.each([
    ["a negative cost", { price: -1 }, "the cost must be 0 or more, not -1"],
    ["an absurd cost", { price: 5_000_000 }, "is absurd"],
    ["another currency", { price: 0.1, currency: "EUR" }, 'the currency must be USD, not "EUR"'],
    ["a cost that is no amount", { price: "cheap" }, 'US dollars, not "cheap"'],
    ["a score beyond 1", { price: 0, points: 3 }, "from 0 to 1, not 3"],
    ["a score that is none", { price: 0, points: null }, "the score must be a number"],
    ["no cost where others have one", {}, 'no cost here, though other outcomes of "alpha" have one'],
    ["no prompt", { price: 0, question: "" }, "has no prompt"],
    ["no worker", { price: 0, llm: "" }, "the name of the worker"],
  ])("with %s is refused by file and line, and nothing is written", async (_, bad, message) => {
    const file = files.writeRows("bad.jsonl", row("a?", "alpha", 1, { price: 0.1 }), {
      ...row("b?", "alpha", 1),
      ...bad,
    });
    const said = await refused("table", file, { columns });
    expect(said).toContain(`${file}:2: `);
    expect(said).toContain(message);
  });

  it("with an outcome twice is refused, kept once, or taken as samples", async () => {
    const file = files.writeRows("twice.jsonl", row("a?", "alpha", 1), row("a?", "alpha", 0));
    const three = new Map([...columns].slice(0, 3));
    expect(await refused("table", file, { columns: three })).toContain(`${file}:2: an outcome of "alpha"`);
    const first = await imported("table", file, { columns: three, duplicates: "first" });
    expect(first.summary).toMatchObject({ outcomes: 1, leftOut: 1 });
    const samples = await imported("table", file, { columns: three, duplicates: "samples" });
    const [task] = samples.recording.tasksOf("table");
    expect(samples.recording.outcomesOf(task!.id, "alpha").map(({ score }) => score)).toEqual([1, 0]);
  });

  it("with a wrong field, a column that is not there or an unknown worker says the nearest", async () => {
    const file = files.writeRows("names.jsonl", row("a?", "alpha", 1));
    expect(await refused("table", file, { columns: new Map([["promt", "question"]]) })).toContain(
      'Did you mean "prompt"?',
    );
    expect(await refused("table", file, { columns: new Map([...columns, ["score", "grade"]]) })).toContain(
      '"grade" for score',
    );
    expect(await refused("table", file)).toContain("one for worker and one for score");
    expect(
      await refused("table", file, { columns: new Map([...columns].slice(0, 3)), workers: ["alpa"] }),
    ).toContain('No worker "alpa" in the source (there are: alpha). Did you mean "alpha"?');
  });

  it("that asks two things under one id is refused", async () => {
    const file = files.writeRows(
      "ids.jsonl",
      { id: "1", ...row("a?", "alpha", 1) },
      { id: "1", ...row("b?", "beta", 1) },
    );
    expect(await refused("table", file, { columns: new Map([...columns].slice(0, 3)) })).toContain(
      `${file}:2: task "1" asks something else in ${file}:1`,
    );
  });
});

it("a table of other separators, a file that is no run and a missing part of one say so", async () => {
  const odd = files.write("semicolon.csv", "question;model;score\nq;m;1\n");
  expect(await refused("table", odd)).toContain("columns are separated by commas");
  expect(await refused("helm", odd)).toContain("is no run of HELM: give a run folder");
  files.write("half/run/scenario_state.json", "{}");
  expect(await refused("helm", join(files.folder, "half"))).toContain("run_spec.json: is not there");
});

it("what is hidden in a source folder is not read, a recording in the making among it", async () => {
  files.writeRows("open/graded.jsonl", { prompt: "a?", worker: "alpha", score: 1 });
  files.write("open/.notes/other.jsonl", "no row");
  const { summary } = await imported("table", join(files.folder, "open"), {
    folder: join(files.folder, "open/made"),
  });
  expect(summary.outcomes).toBe(1);
});

it("a wrong format is answered with the nearest", () => {
  expect(() => findLayout("router-bench")).toThrow('Did you mean "routerbench"?');
});

it("a folder that is there already is not touched", async () => {
  const source = files.writeRows("again.jsonl", { prompt: "a?", worker: "alpha", score: 1 });
  const { folder } = await imported("table", source);
  await expect(
    importRecording({
      source,
      layout: findLayout("table"),
      folder,
      scoreMax: 1,
      duplicates: "refuse",
      columns: new Map(),
    }),
  ).rejects.toThrow("is there already");
  expect(readdirSync(folder).toSorted()).toEqual(["outcomes.jsonl", "tasks.jsonl"]);
});
