// What was performed, in an append-only file of the run's folder: a row is on disk before its reward is
// answered, so a restart performs nothing again that was finished, and a later stage can build on it.

import { hash } from "node:crypto";
import { openAppendFile } from "../files/append-file.ts";
import type { SourceRow } from "../files/read-jsonl.ts";
import type { Performed } from "./types.ts";

/** For people who read the file and for the second round: the key alone would say nothing. */
export interface JournalRow extends Performed {
  key: string;
  at: number;
  label: string;
  completion: string;
}

export interface RolloutJournal {
  readonly size: number;
  find(key: string): Performed | undefined;
  /** On disk when it returns. Throws "cache-failed" when the disk is full. */
  keep(row: JournalRow): void;
  close(): void;
}

/**
 * Not of the prompt: a label says everything that a reward depends on, and engines cut and template prompts
 * in their own ways. `answers` says by which it is graded, where these may change.
 */
export function keyOfRollout(label: string, completion: string, answers?: string): string {
  return hash("sha256", JSON.stringify([label, completion, ...(answers ? [answers] : [])]), "hex");
}

export async function openRolloutJournal(
  file: string,
  onRow: (row: JournalRow) => void = () => {},
): Promise<RolloutJournal> {
  const known = new Map<string, Performed>();
  const remember = (row: JournalRow) => {
    const { reward, isValid, isRight, calls, steps, costUsd } = row;
    known.set(row.key, { reward, isValid, isRight, calls, steps, costUsd });
  };
  const rows = await openAppendFile<JournalRow>(file, checkRow, (row) => {
    remember(row);
    onRow(row);
  });
  return {
    get size() {
      return known.size;
    },
    find: (key) => known.get(key),
    keep(row) {
      rows.append(row);
      remember(row);
    },
    close: () => rows.close(),
  };
}

function checkRow({
  key,
  label,
  completion,
  reward,
  isValid,
  isRight,
  costUsd,
}: SourceRow): string | undefined {
  if ([key, label, completion].some((text) => typeof text !== "string"))
    return '"key", "label" and "completion" must be texts';
  if (![0, 0.5, 1].includes(reward as number)) return `"reward" must be 0, 0.5 or 1, not ${String(reward)}`;
  if (typeof isValid !== "boolean" || typeof isRight !== "boolean")
    return '"isValid" and "isRight" must be true or false';
  return typeof costUsd === "number" ? undefined : '"costUsd" must be a number';
}
