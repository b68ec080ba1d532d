// Which task file a recording is of. The folder keeps a digest of each of its tasks, also of those that --limit has left out,
// so that two files never become one recording of neither. Not covered: two files that hold the same tasks are one file.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { usageError } from "../base/errors.ts";
import { badFile } from "../files/problems.ts";
import { writeFileSafely } from "../files/write-safely.ts";
import type { GradedTask, TaskSet } from "../task/types.ts";

const NAME = "task-file.json";
const DIGEST_LENGTH = 16;

const taskFileSchema = z.object({
  /** As it was named on the command line. */
  source: z.string(),
  /** Of each task, with its id. */
  digests: z.array(z.tuple([z.string(), z.string()])),
});

type TaskFile = z.infer<typeof taskFileSchema>;

/**
 * Refuses a file that is neither the folder's own, nor that file grown (all its tasks and more), nor a part of it.
 * `recorded` are the ids that the folder has already, for folders that were made without a mark. The result: how many tasks
 * the file has grown by.
 */
export function refuseOtherTaskFile(folder: string, set: TaskSet, recorded: readonly string[]): number {
  const digests = new Map(toDigests(set.tasks));
  const before = readTaskFile(folder);
  for (const [id, digest] of before?.digests ?? [])
    if (digests.has(id) && digests.get(id) !== digest)
      throw refusal(folder, before, `the task "${id}" is another one in ${set.source}`);
  const there = before ? before.digests.map(([id]) => id) : recorded;
  const foreign = there.filter((id) => !digests.has(id)).length;
  const added = set.tasks.length - (there.length - foreign);
  if (foreign > 0 && added > 0)
    throw refusal(
      folder,
      before,
      `${foreign} of its ${there.length} tasks are not in ${set.source}, and ${added} of that one are not in it`,
    );
  return before ? added : 0;
}

/** After it was not refused. A part of the file leaves the mark as it is. */
export async function markTaskFile(folder: string, { source, tasks }: TaskSet): Promise<void> {
  const before = readTaskFile(folder);
  if (before && before.digests.length >= tasks.length) return;
  const mark: TaskFile = { source, digests: toDigests(tasks) };
  await writeFileSafely(join(folder, NAME), Buffer.from(`${JSON.stringify(mark)}\n`));
}

function refusal(folder: string, before: TaskFile | undefined, why: string): Error {
  const of = before ? ` (${before.source})` : "";
  return usageError(
    `${folder} is the recording of another task file${of}: ${why}. Record into another folder with --out, or put the tasks of both into one file`,
  );
}

function readTaskFile(folder: string): TaskFile | undefined {
  const file = join(folder, NAME);
  if (!existsSync(file)) return undefined;
  try {
    return taskFileSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    throw badFile(
      `${file} is broken: it says which task file the recording is of. Delete it if you know that it is the same`,
    );
  }
}

/** What is asked and how it is graded; where a task stands in the file, and its category, are no matter. */
function toDigests(tasks: readonly GradedTask[]): [id: string, digest: string][] {
  return tasks.map(({ id, set, prompt, choices, answer, grader, tolerance, tests }) => {
    const text = JSON.stringify([
      ...[set, prompt, choices ?? null, answer],
      ...[grader, tolerance ?? null, tests ?? null],
    ]);
    return [id, createHash("sha256").update(text).digest("hex").slice(0, DIGEST_LENGTH)];
  });
}
