import { describe, expect, it } from "vitest";
import {
  toIteration,
  toSample,
  toStatement,
  toTrainEvents,
  toValidation,
} from "../../testing/learn/train-events.ts";
import type { Training } from "../folder.ts";
import type { IterationMetrics, Sample, ValidationMetrics } from "../types.ts";
import { toTrainingReport } from "./report.ts";
import { pairSamples } from "./samples.ts";

const EVIL = `<script>alert("1")</script>&'</style>`;
const BROKEN = /undefined|NaN|Infinity|\[object/;

function training(parts: Partial<Training> = {}, total = 100): Training {
  const events = toTrainEvents(total);
  return {
    path: "somewhere",
    statement: { ...toStatement({ state: "done" }), version: 1 },
    iterations: events.filter((event): event is IterationMetrics => event.type === "iteration"),
    validations: events.filter((event): event is ValidationMetrics => event.type === "validation"),
    samples: events.filter((event): event is Sample => event.type === "sample"),
    results: [
      {
        name: "trained",
        accuracy: 0.742,
        low: 0.711,
        high: 0.772,
        calls: 1.93,
        costUsd: 0.0042,
        note: "one seed",
      },
      { name: "best single", accuracy: 0.681, low: 0.649, high: 0.712, calls: 1, costUsd: 0.0061 },
    ],
    ...parts,
  };
}

describe("the page of a training", () => {
  const page = toTrainingReport(training());

  it("loads nothing, runs nothing, and shows what others wrote as text", () => {
    const evil = training({
      statement: {
        ...toStatement({
          world: EVIL,
          command: EVIL,
          engine: EVIL,
          settings: { [EVIL]: EVIL },
          notices: [EVIL],
        }),
        version: 1,
        state: "failed",
        problem: EVIL,
      },
      iterations: [0, 1, 2].map((i) => toIteration(i, { stage: "teams", asked: { [EVIL]: 1 } })),
      samples: [0, 9].map((i) =>
        toSample(i, EVIL, {
          question: EVIL,
          answer: EVIL,
          texts: i
            ? [EVIL]
            : [`model_id = [0]\nsubtasks = ["${EVIL.replaceAll('"', "")}"]\naccess_list = [[]]`],
        }),
      ),
      results: [{ name: EVIL, accuracy: 1, low: 0, high: 1, calls: 1, costUsd: 0, note: EVIL }],
    });
    const shown = toTrainingReport(evil);
    expect(shown).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|https?:/i);
    expect(shown).not.toMatch(/<[^>]* on\w+=/);
    expect(shown.match(/<\/style>/g)).toHaveLength(1);
    // World twice (title, heading) and in the list, command, engine, setting and its name, notice, problem,
    // worker in chart and table, question, answers, the workflow's subtask and the text that is none, results.
    expect(shown.split("&lt;script&gt;").length).toBeGreaterThan(15);
    expect(shown).not.toMatch(BROKEN);
  });

  it("is light and dark, and closes what it opens", () => {
    expect(page).toContain("color-scheme: light dark");
    for (const tag of [
      "table",
      "svg",
      "tr",
      "td",
      "div",
      "dl",
      "p",
      "text",
      "title",
      "figure",
      "g",
      "ol",
      "li",
    ])
      expect([tag, page.split(`</${tag}>`).length]).toEqual([
        tag,
        page.split(new RegExp(`<${tag}[ >]`)).length,
      ]);
    expect(page).not.toMatch(BROKEN);
  });

  it("has every curve, the stages, who is asked, samples, results, and the command to repeat it", () => {
    for (const said of [
      ...["Reward", "Accuracy", "Valid workflows", "Groups with zero advantage", "Entropy of the decisions"],
      ...[
        "Entropy of the routing",
        "Calls and steps per task",
        "Gradient norm",
        "Learning rate",
        "Share of the calls",
      ],
      ...["warm-up (0 – 11)", "selection (12 – 39)", "rehearsal/violin", "round", "sees step 1"],
      ...[
        "74.2",
        "71.1 – 77.2",
        "$4.20",
        "one seed",
        "tutti train --rehearsal --seed 3",
        "made-up 1.0, 2 threads",
      ],
    ])
      expect(page).toContain(said);
  });

  it("says when it is simulated, how it stands, and only then", () => {
    expect(page).toContain("Simulated:");
    expect(page).not.toContain("Not finished:");
    const of = (change: Parameters<typeof toStatement>[0]) =>
      toTrainingReport(training({ statement: { ...toStatement(change), version: 1 } }));
    expect(of({ isSimulated: false })).not.toMatch(/simulated:|simulated dollars/i);
    expect(of({ state: "running" })).toContain("how far it was when the page was written");
    expect(of({ state: "stopped" })).toContain("it was stopped, and can go on");
    expect(of({ state: "failed", problem: "The disk is full" })).toContain("it failed. The disk is full");
  });

  it("tells the first evaluation and the best, which is marked, and that the best one flatters", () => {
    const validations = [0.4, 0.7, 0.6].map((accuracy, i) =>
      toValidation(i * 10, { accuracy, low: accuracy - 0.1, high: accuracy + 0.1, isBest: i === 1 }),
    );
    const shown = toTrainingReport(training({ validations }));
    expect(shown).toMatch(/right on 40\.0 % at the first evaluation \(iteration 0\) and on 70\.0 %/);
    expect(shown).toContain("95 % interval 60.0 – 80.0");
    expect(shown).toContain("so it flatters");
    expect(shown.match(/class="mark best"/g)).toHaveLength(1);
    expect(shown.match(/class="mark"/g)).toHaveLength(2);
  });

  it("can be made of almost nothing, and of metrics that were not measured", () => {
    const nothing = { statement: undefined, iterations: [], validations: [], samples: [], results: [] };
    const gap = Number.NaN;
    const bare = { reward: gap, accuracy: gap, accuracyIfValid: gap, loss: gap, decisionEntropy: gap };
    for (const parts of [
      nothing,
      { ...nothing, iterations: [toIteration(0)] },
      { ...nothing, iterations: [toIteration(50, bare)] },
      { ...nothing, iterations: [0, 1, 2].map((i) => toIteration(i, { ...bare, asked: {} })) },
      { ...nothing, iterations: [50, 51].map((i) => toIteration(i, { reward: 0.5, asked: { a: 1 } })) },
      { ...nothing, validations: [toValidation(0)], samples: [toSample(0, "a")] },
    ])
      expect(toTrainingReport(training(parts))).not.toMatch(BROKEN);
  });

  it("puts those who are seldom asked together, and keeps the page small however long it took", () => {
    const asked = Object.fromEntries(Array.from({ length: 47 }, (_, i) => [`worker-${i}`, 1 / 47]));
    const iterations = Array.from({ length: 6_000 }, (_, i) =>
      toIteration(i, { stage: "teams", asked }, 6_000),
    );
    const shown = toTrainingReport(training({ iterations }));
    expect(shown).toContain("39 others");
    expect(shown.length).toBeLessThan(600_000);
  });
});

describe("samples", () => {
  it("of the same question are shown early against late, the farthest apart first", () => {
    const pairs = pairSamples([
      ...[toSample(5, "b"), toSample(1, "b"), toSample(3, "b")],
      ...[toSample(2, "a"), toSample(90, "a"), toSample(4, "alone")],
    ]);
    expect(pairs.map(({ early, late }) => [early.task, early.iteration, late.iteration])).toEqual([
      ["a", 2, 90],
      ["b", 1, 5],
    ]);
  });

  it("of different questions only where none came twice, and it is said", () => {
    const samples = [1, 2, 3, 80, 81, 82].map((i) => toSample(i, `t${i}`));
    expect(pairSamples(samples).map(({ early, late }) => [early.iteration, late.iteration])).toEqual([
      [1, 80],
      [2, 81],
      [3, 82],
    ]);
    expect(toTrainingReport(training({ samples }))).toContain("No question came twice");
    expect(pairSamples([toSample(1, "a"), toSample(1, "b")])).toEqual([]);
  });

  it("read as steps, as a later round that accepts, or as what they are where they are no workflow", () => {
    const texts = [
      'model_id = [4, 2, 0]\nsubtasks = ["plan it", "do it", "check it"]\naccess_list = [[], [0], ["all"]]',
      "model_id = []\nsubtasks = []\naccess_list = []",
    ];
    const samples = [toSample(0, "a", { texts: ["I would rather not."] }), toSample(9, "a", { texts })];
    const shown = toTrainingReport(training({ samples }));
    expect(shown).toMatch(/<b>worker 4<\/b> <small>sees the question only<\/small><br>plan it/);
    expect(shown).toMatch(/<b>worker 2<\/b> <small>sees step 1<\/small><br>do it/);
    expect(shown).toMatch(/<b>worker 0<\/b> <small>sees all before<\/small><br>check it/);
    expect(shown).toContain("Accepts what the team has answered.");
    expect(shown).toMatch(/Not a workflow: [^<]+<\/p><pre>I would rather not\.<\/pre>/);
  });
});
