// What tests of recordings share: tasks that add one, a worker that can, and a grader that compares.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sameAnswer } from "../answer/normalise.ts";
import { recordOutcomes } from "../recording/record.ts";
import type { RecordOptions } from "../recording/record-types.ts";
import type { GradedTask, Grader } from "../task/types.ts";
import { scriptedWorker } from "./stage.ts";

export const PRICE = { inputUsd: 1, outputUsd: 10 };

export const newFolder = () => join(mkdtempSync(join(tmpdir(), "tutti-record-")), "made");

export function tasksOf(count: number, set = "s"): GradedTask[] {
  return Array.from({ length: count }, (_, i) => ({
    ...{ id: `${set}/${i}`, set, category: "c", family: "u" },
    ...{ prompt: `What is ${i} + 1?`, answer: String(i + 1), grader: "text" as const },
  }));
}

/** Adds what stands in the question, as the tasks above ask for it. */
export function adder(id = "adder") {
  return scriptedWorker(id, ({ messages }) => {
    const [, number] = /(\d+) \+ 1/.exec(String(messages[0]!.content))!;
    return `Let me see.\nAnswer: ${Number(number) + 1}`;
  });
}

export const grader: Grader = {
  async grade({ answer }, reply) {
    const isRight = sameAnswer(reply.split("Answer: ").at(-1)!, answer);
    return { score: isRight ? 1 : 0, why: "compared" };
  },
};

export function record(options: Partial<RecordOptions> & Pick<RecordOptions, "folder" | "pool">) {
  return recordOutcomes({ tasks: tasksOf(3), grader, retries: 0, ...options });
}
