import { describe, expect, it } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { scriptedWorker, step, toPool } from "../testing/stage.ts";
import { createConsensusWorker } from "../worker/consensus.ts";
import type { Part } from "../worker/types.ts";
import { parseWorkflow } from "../workflow/parse.ts";
import { toConductorMessages } from "./prompt.ts";
import { createPromptedConductor } from "./prompted.ts";
import { checkTeam } from "./text.ts";
import type { ComposeRequest, PlanEvent } from "./types.ts";

const GOOD = 'Two attempts.\nmodel_id = [0, 1]\nsubtasks = ["try", "judge"]\naccess_list = [[], ["all"]]';
const pool = toPool([
  {
    worker: scriptedWorker("acme/brand-name", ""),
    profile: { success: 0.5, tasks: 40, topics: { code: 0.9 } },
  },
  { worker: scriptedWorker("other/model", ""), price: { inputUsd: 1, outputUsd: 2 } },
]);
const request: ComposeRequest = {
  task: { messages: [{ role: "user", content: "Sort these: 3, 1, 2" }] },
  pool,
  rounds: [],
  errors: [],
  maxSteps: 5,
  seed: 1,
};

async function compose(reply: string, changes: Partial<ComposeRequest> = {}) {
  const worker = scriptedWorker("planner", reply);
  const conductor = createPromptedConductor({ worker }, { showNames: false });
  const events: PlanEvent[] = [];
  for await (const event of conductor.compose({ ...request, ...changes }, new AbortController().signal))
    events.push(event);
  const end = events.at(-1)!;
  if (end.type !== "plan-end") throw new Error("no plan-end");
  return { end, worker, events };
}

const textOf = (changes: Partial<ComposeRequest> = {}, showNames = false) =>
  toConductorMessages({ ...request, ...changes }, { showNames })
    .map((message) => message.content)
    .join("\n");

describe("the prompted Conductor", () => {
  it("turns what a model writes into a workflow, as it comes", async () => {
    const { end, events } = await compose(GOOD);
    expect(end.decision).toEqual({
      type: "workflow",
      workflow: { steps: [step(0, "try"), step(1, "judge", "all")] },
    });
    expect(events[0]).toEqual({ type: "plan-delta", text: GOOD });
    expect(end.usage.outputTokens).toBeGreaterThan(0);
  });

  it("says what was wrong, and shows it to the model the next time", async () => {
    const { end } = await compose("I would rather answer myself: 1, 2, 3.");
    expect(end.decision).toMatchObject({ type: "format-error", error: { code: "nothing-found" } });
    const error = { code: "unequal-lengths" as const, message: "model_id has 3 entries but subtasks has 2." };
    expect(textOf({ errors: [error] })).toContain("model_id has 3 entries but subtasks has 2.");
  });

  it("may accept only in later rounds", async () => {
    const accept = "Fine.\nmodel_id = []\nsubtasks = []\naccess_list = []";
    expect((await compose(accept)).end.decision.type).toBe("format-error");
    const rounds = [{ workflow: { steps: [step(0, "try")] }, replies: ["1, 2, 3"] }];
    expect((await compose(accept, { rounds })).end.decision).toEqual({ type: "accept" });
  });

  it("passes on the failure of its model", async () => {
    const down = new TuttiError("provider-error", "down", { retryable: true });
    const conductor = createPromptedConductor(
      { worker: scriptedWorker("p", () => down) },
      { showNames: false },
    );
    const read = async () => {
      for await (const _ of conductor.compose(request, new AbortController().signal));
    };
    await expect(read()).rejects.toBe(down);
  });

  it("quotes a price for what it may cost at the most", async () => {
    const worker = scriptedWorker("planner", GOOD);
    const conductor = createPromptedConductor({ worker, maxOutputTokens: 500 }, { showNames: false });
    const quote = conductor.quote!(request);
    expect(quote.maxOutputTokens).toBe(500);
    expect(quote.inputTokens).toBeGreaterThan(textOf().length);
  });
});

describe("the Conductor's prompt", () => {
  it("shows measured workers as numbers, and names them only when asked for; of the others it tells the name", () => {
    expect(textOf()).toContain("Model id 0: solves 50 % of 40 measured tasks (code 90 %)");
    expect(textOf()).toContain(
      "Model id 1 (other/model): abilities unknown; $1 in, $2 out per million tokens",
    );
    expect(textOf()).not.toContain("brand-name");
    expect(textOf({}, true)).toContain("Model id 0 (acme/brand-name)");
  });

  it("tells what is published of a worker that nobody measured, with its source and date", () => {
    const worker = scriptedWorker("openrouter/anthropic/claude-opus-4.5", "");
    const text = textOf({ pool: toPool([{ worker, contextTokens: 200_000 }]) });
    expect(text).toMatch(
      /Model id 0 \(openrouter\/anthropic\/claude-opus-4\.5\): sees images, calls tools \(judging by its name\); published: SWE-bench Verified 74\.4 % \(.+, 2026-11\); reads up to 200 K tokens/,
    );
  });

  it("tells who cannot see an image or read a PDF, only where the question has one", () => {
    const member = (id: string, more: object) => ({ worker: scriptedWorker(id, ""), ...more });
    const pool = toPool([
      member("here/sees", { takesImages: true, takesPdf: true }),
      member("here/blind", { takesImages: false, takesPdf: false }),
      member("here/unknown", {}),
    ]);
    const image = { type: "image" as const, image: "data:image/png;base64,AA==" };
    const file = (text?: string) =>
      ({
        type: "file",
        file: "data:,",
        mediaType: "application/pdf",
        name: "a.pdf",
        pages: 1,
        text,
      }) as const;
    const lines = (...parts: Part[]) => {
      const content: Part[] = [{ type: "text", text: "What is this?" }, ...parts];
      return textOf({ pool, task: { messages: [{ role: "user", content }] } }).match(/^Model id \d \(.+$/gm)!;
    };
    const [sees, blind, unknown] = lines(image, file());
    expect(sees).not.toMatch(/attached/);
    expect(blind).toMatch(/CANNOT see the attached image; CANNOT read the attached PDF/);
    expect(unknown).toMatch(/unknown whether it can see the attached image/);
    expect(unknown).not.toMatch(/PDF/);
    expect(lines(file("its text"))[1]).toMatch(/gets the text of the attached PDF/);
    expect(lines().join()).not.toMatch(/attached/);
  });

  it("tells the limits and the steps that they allow", () => {
    const limits = { usd: 0.05, calls: 3, deadlineMs: 60_000, stepUsd: [0.012, null] };
    const text = textOf({ limits, maxSteps: 3 });
    expect(text).toContain(
      "Limits: 3 calls, $0.05, 60 seconds for the whole answer. Plan inside them: at most 3 steps",
    );
    expect(text).toContain("a step costs $0.012 at the most");
    expect(textOf()).not.toContain("Limits:");
  });

  it("wants the user's language and no word of the team", () => {
    expect(textOf()).toContain("in the language in which the user wrote");
    expect(textOf()).toContain("must not mention the team");
  });

  it("has four examples that parse, of different shapes, none with one step", () => {
    const examples = textOf()
      .split(/Example \d/)
      .slice(1, 5);
    expect(examples).toHaveLength(4);
    const shapes = examples.map((example) => {
      const parsed = parseWorkflow(example.split("Your team:")[0]!, { workers: 3 });
      if (!parsed.ok) throw new Error(parsed.error.message);
      expect(parsed.workflow.steps.length).toBeGreaterThan(1);
      return JSON.stringify(parsed.workflow.steps.map(({ access }) => access));
    });
    expect(new Set(shapes).size).toBe(4);
  });

  it("shows earlier rounds as quoted data, shortened in the middle", () => {
    const reply = `begin ${"x".repeat(10_000)} end`;
    const text = textOf({ rounds: [{ workflow: { steps: [step(0, "try")] }, replies: [reply] }] });
    expect(text).toContain("begin xxx");
    expect(text).toContain("xxx end");
    expect(text).toContain("characters left out");
    expect(text.length).toBeLessThan(textOf().length + 5_000);
  });
});

describe("a team that cheats", () => {
  const withVote = toPool([...pool.members, { worker: createConsensusWorker() }]);

  it("is refused when it asks nobody, or votes over fewer than two replies", () => {
    expect(checkTeam({ steps: [step(2, "vote")] }, withVote)?.code).toBe("asks-nobody");
    expect(checkTeam({ steps: [step(0, "a"), step(2, "vote", "all")] }, withVote)?.code).toBe(
      "nothing-to-vote",
    );
    expect(checkTeam({ steps: [step(0, "a"), step(1, "b"), step(2, "vote", [0])] }, withVote)?.code).toBe(
      "nothing-to-vote",
    );
    expect(
      checkTeam({ steps: [step(0, "a"), step(1, "b"), step(2, "vote", "all")] }, withVote),
    ).toBeUndefined();
  });

  it("may vote over the round before", () => {
    expect(checkTeam({ steps: [step(0, "a"), step(2, "vote", "all")] }, withVote, 2)).toBeUndefined();
  });
});
