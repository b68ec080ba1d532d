// What a published protocol needs of a recording beyond tasks and outcomes: the source's own split, tasks that its
// authors leave out, and the same questions in other words. Apart from the loader, because nobody else reads them.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { Problems, quote } from "../files/problems.ts";
import { readJsonl, type SourceRow } from "../files/read-jsonl.ts";
import { findRecordingFile } from "./load.ts";

/** Fields of a row of `tasks.jsonl` that only protocols read. */
export interface ProtocolFields {
  /** Which side of the source's own split the task is on. */
  split?: "train" | "test";
  /** The source's authors leave it out: it was seen in training. */
  contaminated?: boolean;
}

/** A row of `robustness.jsonl`: the question of a task in other words. */
export interface Rewording {
  task: string;
  prompt: string;
}

/** By id of the task. Throws by file and line. */
export async function readProtocolFields(folder: string): Promise<Map<string, ProtocolFields>> {
  const file = findRecordingFile(folder, "tasks");
  const fields = new Map<string, ProtocolFields>();
  await readChecked(file, checkFields, ({ id, split, contaminated }) => {
    fields.set(String(id), { split, contaminated } as ProtocolFields);
  });
  return fields;
}

/** Empty where the recording has no such file. */
export async function readRewordings(folder: string): Promise<Rewording[]> {
  const file = ["robustness.jsonl", "robustness.jsonl.gz"]
    .map((name) => join(folder, name))
    .find((path) => existsSync(path));
  const rewordings: Rewording[] = [];
  if (file === undefined) return rewordings;
  await readChecked(file, checkRewording, (row) => rewordings.push(row as unknown as Rewording));
  return rewordings;
}

async function readChecked(
  file: string,
  check: (row: SourceRow) => string | undefined,
  onRow: (row: SourceRow) => void,
): Promise<void> {
  const problems = new Problems();
  await readJsonl(
    file,
    (row, line) => {
      const problem = check(row);
      if (problem === undefined) onRow(row);
      else problems.add(file, line, problem);
    },
    problems,
  );
  problems.throwIfAny();
}

function checkFields({ split, contaminated }: SourceRow): string | undefined {
  if (split !== undefined && split !== "train" && split !== "test")
    return `"split" must be "train" or "test" where it is given, not ${quote(split)}`;
  if (contaminated !== undefined && typeof contaminated !== "boolean")
    return `"contaminated" must be true or false where it is given, not ${quote(contaminated)}`;
  return undefined;
}

function checkRewording({ task, prompt }: SourceRow): string | undefined {
  if (typeof task !== "string") return `"task" must be the id of a task, not ${quote(task)}`;
  if (typeof prompt !== "string" || prompt === "")
    return `"prompt" must be a text, not empty, not ${quote(prompt)}`;
  return undefined;
}
