import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createConsensusWorker } from "./consensus.ts";
import type { VisibleStep, WorkerEvent, WorkerRequest } from "./types.ts";

const never = new AbortController().signal;

function requestWith(replies: string[], weights?: number[]): WorkerRequest {
  const visible = replies.map((reply, step): VisibleStep => {
    const success = weights?.[step];
    const measured = success === undefined ? {} : { success };
    return { round: 0, step, worker: step, subtask: "Solve it.", reply, ...measured };
  });
  const brief = { task: { messages: [] }, subtask: "Vote.", visible, isLast: true };
  return { messages: [], brief, maxOutputTokens: 100 };
}

async function vote(replies: string[], weights?: number[]) {
  const worker = createConsensusWorker();
  const events: WorkerEvent[] = [];
  for await (const event of worker.ask(requestWith(replies, weights), never)) events.push(event);
  const text = (type: "text-delta" | "reasoning-delta") =>
    events.find((event) => event.type === type) as { text: string };
  return { text: text("text-delta").text, why: text("reasoning-delta").text, last: events.at(-1) };
}

describe("consensus", () => {
  it("does not count an earlier vote, unless there is nothing else to compare with", async () => {
    const answers = ["Answer: 41", "Answer: 42", "Answer: 42"];
    const request = requestWith([...answers, "Answer: 41", "Answer: 41"], [0.9, 0.6, 0.6, 1, 1]);
    const ask = async (visible: VisibleStep[]) => {
      let text = "";
      const brief = { ...request.brief!, visible };
      for await (const event of createConsensusWorker().ask({ ...request, brief }, never))
        if (event.type === "text-delta") text += event.text;
      return text;
    };
    const marked = request.brief!.visible.map((step, i) =>
      i > 2 ? { ...step, isCombined: true as const } : step,
    );
    expect(await ask(request.brief!.visible)).toBe("Answer: 41");
    expect(await ask(marked)).toBe("Answer: 42");
    expect(await ask([marked[1]!, marked[3]!])).toBe("Answer: 41");
  });

  it("passes on the full reply of the majority, and says how they voted", async () => {
    const { text, why, last } = await vote([
      "So the answer is 41",
      "We multiply.\nAnswer: 42",
      "The answer is 42.",
    ]);
    expect(text).toBe("We multiply.\nAnswer: 42");
    expect(why).toBe('2 of 3 say "42"; 1 says "41"');
    expect(last).toMatchObject({
      type: "finish",
      reason: "stop",
      usage: { inputTokens: 0, outputTokens: 0 },
    });
  });

  it("weighs votes: one good worker outvotes two weak ones", async () => {
    expect((await vote(["Answer: 41", "Answer: 41", "Answer: 42"], [0.2, 0.2, 0.9])).text).toBe("Answer: 42");
  });

  it("takes the reply of the heaviest winner, the earliest of equals", async () => {
    expect((await vote(["Answer: 42", "Sure.\nAnswer: 42", "Answer: 7"], [0.5, 0.8, 0.6])).text).toBe(
      "Sure.\nAnswer: 42",
    );
    expect((await vote(["First.\nAnswer: 42", "Second.\nAnswer: 42"])).text).toBe("First.\nAnswer: 42");
  });

  it("gives a tie to the heavier voter, then to the later step", async () => {
    expect((await vote(["Answer: 1", "Answer: 1", "Answer: 2"], [0.3, 0.3, 0.6])).text).toBe("Answer: 2");
    expect((await vote(["Answer: 1", "Answer: 2", "Answer: 1", "Answer: 2"])).text).toBe("Answer: 2");
    expect((await vote(["Answer: 1", "Answer: 1", "Answer: 2"], [0.1, 0.2, 0.3])).text).toBe("Answer: 2");
  });

  it("says so when nobody agrees, and takes the heaviest", async () => {
    const { text, why } = await vote(["Answer: 1", "Answer: 2", "Answer: 3"], [0.5, 0.9, 0.5]);
    expect(text).toBe("Answer: 2");
    expect(why).toBe('No agreement among 3 replies: took "2", the heaviest vote.');
  });

  it.each([[[]], [["Answer: 42"]], [["Answer: 42", "  "]]])(
    "has nothing to vote on with %j",
    async (replies) => {
      await expect(vote(replies)).rejects.toMatchObject({ code: "nothing-to-vote", retryable: false });
    },
  );

  it("always passes on one of the replies, and the majority's when all weigh the same", async () => {
    const replies = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(replies, async (answers) => {
        const { text } = await vote(answers.map((answer) => `Answer: ${answer}`));
        const count = (answer: number) => answers.filter((other) => other === answer).length;
        const winner = Number(text.replace("Answer: ", ""));
        expect(count(winner)).toBe(Math.max(...answers.map(count)));
      }),
      { seed: 7, numRuns: 100 },
    );
  });
});
