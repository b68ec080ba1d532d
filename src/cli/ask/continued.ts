// What a question goes on with: an earlier run of the journal, and a system message from the command line or a file.

import { TuttiError, usageError } from "../../base/errors.ts";
import type { Store } from "../../store/types.ts";
import { findRun } from "../runs/find-runs.ts";
import { readTextFile } from "./read-input.ts";

/** Runs of other people's clients lie in the same journal; so many are looked through for the last one of the command. */
const MOST_RUNS = 200;

/** By the beginning of its id, or the last run that the command made and that has an answer. */
export async function findContinued(store: Store, text: string | undefined): Promise<string> {
  if (text !== undefined) return findRun(store, text);
  const runs = await store.listRuns({ limit: MOST_RUNS });
  const last = runs.find(({ origin, answer, isStripped }) => !origin && (answer || isStripped));
  if (last) return last.id;
  throw new TuttiError(
    "unknown-run",
    'there is no run to continue in the journal. Begin with: tutti ask "…"',
  );
}

/** A text, or with @ the file that holds it. */
export async function readSystem(value: string | undefined): Promise<string | undefined> {
  if (value === undefined) return undefined;
  const text = value.startsWith("@") ? await readTextFile(value.slice(1)) : value;
  if (text.trim() === "") throw usageError("--system is empty: give a text, or @FILE");
  return text.trim();
}
