// Replies in a file of their own beside the outcomes (`replies.jsonl[.gz]`, rows { task, worker, sample, reply }). Only what
// they look like is kept: texts of megabytes pass by line for line.

import { readReplyFeatures } from "../belief/reply-features.ts";
import { type Problems, quote } from "../files/problems.ts";
import { readJsonl, type SourceRow } from "../files/read-jsonl.ts";
import type { OutcomeTable } from "./outcome-table.ts";

export interface RepliesContext {
  /** Numbers in the table. */
  taskOf(id: string): number | undefined;
  workerOf(id: string): number | undefined;
  /** False: of a set that is not loaded. */
  isWanted(task: number): boolean;
  table: OutcomeTable;
}

export async function readReplies(file: string, context: RepliesContext, problems: Problems): Promise<void> {
  const { taskOf, workerOf, isWanted, table } = context;
  const seen = new Set<string>();
  await readJsonl(
    file,
    (row, line) => {
      const problem = checkReply(row);
      if (problem) return problems.add(file, line, problem);
      const { task, worker, sample, reply } = row as {
        task: string;
        worker: string;
        sample: number;
        reply: string;
      };
      const number = taskOf(task);
      if (number === undefined) return problems.add(file, line, `no task "${task}" in this recording`);
      if (!isWanted(number)) return;
      const who = workerOf(worker);
      if (who === undefined) return problems.add(file, line, `no outcome of "${worker}" in this recording`);
      const key = `${number} ${who} ${sample}`;
      const what = `sample ${sample} of ${worker} on task "${task}"`;
      if (seen.has(key)) return problems.add(file, line, `${what} is there twice`);
      seen.add(key);
      if (!table.setFeatures(number, who, sample, readReplyFeatures(reply)))
        problems.add(file, line, `there is no outcome for ${what}`);
    },
    problems,
  );
}

function checkReply({ task, worker, sample, reply }: SourceRow): string | undefined {
  if (typeof task !== "string") return `"task" must be the id of a task, not ${quote(task)}`;
  if (typeof worker !== "string") return `"worker" must be a text, not ${quote(worker)}`;
  if (!Number.isInteger(sample) || (sample as number) < 0)
    return `"sample" must be a whole number from 0, not ${quote(sample)}`;
  return typeof reply === "string" ? undefined : `"reply" must be a text, not ${quote(reply)}`;
}
