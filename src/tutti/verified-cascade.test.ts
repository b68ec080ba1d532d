import { describe, expect, test } from "vitest";
import type { Pool, PoolMember, Task } from "../worker/types.ts";
import { createTutti } from "./tutti.ts";

function member(id: string, reply: string, outputUsd: number, asked: string[] = []): PoolMember {
  return {
    price: { inputUsd: 0, outputUsd },
    worker: {
      id,
      kind: "model",
      async *ask() {
        asked.push(id);
        yield { type: "text-delta", text: reply };
        const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
        yield { type: "finish", usage, reason: "stop" };
      },
    },
  };
}

const tests = {
  language: "javascript" as const,
  style: "function" as const,
  entry: "double",
  cases: [{ input: "[4]", output: "8" }],
};
const QUESTION: Task = { messages: [{ role: "user", content: "Write double(x)" }], tests };
const code = (body: string) => `\`\`\`javascript\nfunction double(x) { ${body} }\n\`\`\``;

async function ask(pool: Pool, task = QUESTION, conductor = "verified-cascade", rounds?: number) {
  const tutti = await createTutti({ store: "memory" }, { env: {} });
  try {
    return await tutti.ask(task, { pool, conductor, rounds });
  } finally {
    await tutti.close();
  }
}

describe("cheap first, until a verifier accepts", () => {
  test("a cheap reply that passes is the answer, and nobody else is asked", async () => {
    const asked: string[] = [];
    const pool = {
      members: [
        member("dear", code("return 2 * x;"), 9, asked),
        member("cheap", code("return x + x;"), 1, asked),
      ],
    };
    const run = await ask(pool);
    expect(asked).toEqual(["cheap"]);
    expect(run.answer).toContain("x + x");
    expect(run.calls).toBe(1);
    expect(run.steps.map(({ workerId }) => workerId)).toEqual(["cheap", "verifier"]);
  });

  test("one that fails is passed over", async () => {
    const asked: string[] = [];
    const pool = {
      members: [
        member("dear", code("return 2 * x;"), 9, asked),
        member("cheap", code("return x;"), 1, asked),
      ],
    };
    const run = await ask(pool);
    expect(asked).toEqual(["cheap", "dear"]);
    expect(run.answer).toContain("2 * x");
    expect(run.answerStep).toEqual({ round: 2, step: 0 });
  });

  test("where nobody passes the last reply is the answer, never a verdict", async () => {
    const pool = { members: [member("a", code("return 1;"), 1), member("b", code("return 2;"), 2)] };
    const run = await ask(pool);
    expect(run.answer).toContain("return 2;");
  });

  test("with one round only the most trusted is asked", async () => {
    const asked: string[] = [];
    const pool = {
      members: [member("a", code("return 1;"), 1, asked), member("b", code("return 2;"), 2, asked)],
    };
    const run = await ask(pool, QUESTION, "verified-cascade", 1);
    expect(asked).toEqual(["b"]);
    expect(run.answer).toContain("return 2;");
  });

  test("a model may judge instead: its calls are counted", async () => {
    const asked: string[] = [];
    const pool = {
      members: [
        member("cheap", "Paris", 1, asked),
        member("dear", "Lyon", 9, asked),
        member("judge", "VERDICT: REVISE\nDIAGNOSIS: wrong", 2, asked),
      ],
    };
    const plain: Task = { messages: [{ role: "user", content: "Which city?" }] };
    const run = await ask(pool, plain, "verified-cascade:judge");
    expect(asked).toEqual(["cheap", "judge", "dear"]);
    expect(run.answer).toBe("Lyon");
    expect(run.calls).toBe(3);
  });

  describe("a judge whose errors were measured", () => {
    const success = (value: number): PoolMember["profile"] => ({ success: value, tasks: 60, topics: {} });
    const plain: Task = { messages: [{ role: "user", content: "Which city?" }] };
    const asks = async (acceptedWrong: number, verdict = "VERDICT: ACCEPT") => {
      const asked: string[] = [];
      const counts = { right: 30, refusedRight: 0, wrong: 30, acceptedWrong };
      const members = [
        { ...member("cheap", "Paris", 1, asked), profile: success(0.6) },
        { ...member("dear", "Lyon", 9, asked), profile: success(0.8) },
        { ...member("judge", verdict, 2, asked), profile: { ...success(0.5)!, judging: counts } },
      ];
      const { answer } = await ask({ members }, plain, "verified-cascade:judge");
      return { asked, answer };
    };

    test("is believed where its yes makes the reply likelier right than asking on", async () => {
      expect(await asks(3)).toEqual({ asked: ["cheap", "judge"], answer: "Paris" });
    });

    test("is not where it accepts nearly everything: the next worker is asked and trusted more", async () => {
      expect(await asks(29)).toEqual({ asked: ["cheap", "judge", "dear"], answer: "Lyon" });
    });

    test("whose no is worth nothing does not make a reply worse than it was", async () => {
      const { asked, answer } = await asks(3, "No idea.");
      expect({ asked, answer }).toEqual({ asked: ["cheap", "judge", "dear"], answer: "Lyon" });
    });
  });

  test("with nothing to verify by, or an unknown judge, it says so before anybody is asked", async () => {
    const asked: string[] = [];
    const pool = { members: [member("a", "x", 1, asked)] };
    const plain: Task = { messages: [{ role: "user", content: "Which city?" }] };
    await expect(ask(pool, plain)).rejects.toThrow(/nothing to verify/);
    await expect(ask(pool, plain, "verified-cascade:jugde")).rejects.toThrow(/No worker "jugde"/);
    expect(asked).toEqual([]);
  });
});
