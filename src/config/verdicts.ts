// What a bench showed of a Conductor on a live pool: `<home>/verdicts.json`. The default Conductor of that pool is decided by
// it, so nobody gets a trained Conductor because it did well elsewhere.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makePrivateFolder } from "../files/private.ts";
import { writeFileSafely } from "../files/write-safely.ts";

/** A trained Conductor may lose this much, in probability of a right answer, and still be no worse. */
const MARGIN = 0.03;
/** Fewer tasks than this show nothing. */
const FEWEST_TASKS = 50;

const verdictSchema = z.object({
  /** Ids of the models that could be asked, sorted. */
  workers: z.array(z.string()),
  /** With the digest of its weights: other weights are another Conductor. */
  conductor: z.enum(["native", "trinity"]),
  digest: z.string(),
  /** Who else was measured on the same tasks: the best of them. */
  against: z.string(),
  tasks: z.int(),
  /** Its accuracy minus theirs, with the 95 % interval. */
  difference: z.number(),
  low: z.number(),
  high: z.number(),
  /** ISO date. */
  date: z.string(),
});
export type Verdict = z.infer<typeof verdictSchema>;

const fileSchema = z.object({ version: z.literal(1), verdicts: z.array(verdictSchema) });

/** No file, or one that cannot be read, is no verdict: then nothing trained is the default. */
export function loadVerdicts(home: string): Verdict[] {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(toFile(home), "utf8"))).verdicts;
  } catch {
    return [];
  }
}

/** The newest of a pool and a Conductor counts. */
export async function saveVerdict(home: string, verdict: Verdict): Promise<void> {
  const isSame = (other: Verdict) =>
    other.conductor === verdict.conductor && other.workers.join("\n") === verdict.workers.join("\n");
  const verdicts = [...loadVerdicts(home).filter((other) => !isSame(other)), verdict];
  makePrivateFolder(home);
  await writeFileSafely(toFile(home), Buffer.from(`${JSON.stringify({ version: 1, verdicts }, null, 2)}\n`));
}

/** Those of a pool and of these weights that show a Conductor to be no worse; the one that gained most first. */
export function findShown(home: string, workers: readonly string[], digests: readonly string[]): Verdict[] {
  const wanted = [...workers].sort().join("\n");
  return loadVerdicts(home)
    .filter((each) => digests.includes(each.digest) && each.workers.join("\n") === wanted && isNoWorse(each))
    .sort((a, b) => b.difference - a.difference);
}

export function isNoWorse({ tasks, low }: Verdict): boolean {
  return tasks >= FEWEST_TASKS && low >= -MARGIN;
}

function toFile(home: string): string {
  return join(home, "verdicts.json");
}
