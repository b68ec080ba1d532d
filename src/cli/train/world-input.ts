// From flags to the world that a training takes place in, or to a sentence about what is wrong with them. The same for
// every kind of Conductor.

import { z } from "zod";
import { usageError } from "../../base/errors.ts";

/** Of the training questions, where two worlds are joined. */
const SHARE = 0.5;

const recorded = {
  folders: z.array(z.string()),
  sets: z.array(z.string()),
  splitBy: z.enum(["prompt", "family"]).default("prompt"),
  allowInsideGrades: z.boolean().optional(),
};

export const worldSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("rehearsal") }),
  z.object({ kind: z.literal("recording"), ...recorded }),
  /** The rehearsal and recordings; `share` is the rehearsal's. */
  z.object({ kind: z.literal("joined"), share: z.number(), ...recorded }),
  z.object({
    kind: z.literal("tasks"),
    tasks: z.string(),
    set: z.string().optional(),
    pool: z.string().optional(),
    config: z.string().optional(),
    budgetUsd: z.number(),
    feedback: z.boolean().optional(),
    allowInsideGrades: z.boolean().optional(),
  }),
]);
export type WorldSettings = z.infer<typeof worldSchema>;

export interface WorldFlags {
  rehearsal?: boolean;
  recording?: string[];
  live?: boolean;
  tasks?: string;
  set?: string[];
  splitBy?: "prompt" | "family";
  share?: number;
  pool?: string;
  config?: string;
  feedback?: boolean;
  allowInsideGrades?: boolean;
  budgetUsd?: number | "none";
}

export function toWorldSettings(flags: WorldFlags): WorldSettings {
  const { rehearsal, recording, tasks, set: sets = [], splitBy, pool, config, budgetUsd } = flags;
  const { allowInsideGrades, feedback } = flags;
  const isLive = flags.live || tasks !== undefined;
  const given = [rehearsal && "--rehearsal", recording && "--recording", tasks !== undefined && "--tasks"];
  if (flags.live && tasks === undefined) given.push("--live");
  const worlds = given.filter((flag) => typeof flag === "string");
  if (isLive && worlds.length > 1) throw usageError(`${worlds.join(" and ")} exclude each other`);
  if (flags.share !== undefined && !(rehearsal && recording))
    throw usageError("--share goes with --rehearsal and --recording together: it is the rehearsal's");
  if (tasks === undefined) {
    if (flags.live)
      throw usageError(
        "--live trains with the live pool of the config: say on which tasks, with --tasks FILE, and what it may cost, with --budget-usd 5 for example",
      );
    if (pool !== undefined) throw usageError("--pool goes with --tasks: only there a live pool is asked");
    if (feedback) throw usageError("--feedback goes with --tasks: ratings are of answers of a live pool");
    if (budgetUsd !== undefined) throw usageError("--budget-usd goes with --tasks: nothing else costs money");
  }
  if (splitBy !== undefined && !recording)
    throw usageError("--split-by goes with --recording: other worlds are split by prompt");
  if (recording) {
    const paired = pairSets(recording, sets);
    const recordings = { ...paired, splitBy: splitBy ?? "prompt", allowInsideGrades };
    if (!rehearsal) return { kind: "recording", ...recordings };
    return { kind: "joined", share: flags.share ?? SHARE, ...recordings };
  }
  if (tasks !== undefined) {
    if (sets.length > 1) throw usageError(`--tasks takes one --set, not ${sets.length}`);
    if (budgetUsd === undefined)
      throw usageError(
        "--tasks asks a live pool, which costs: say how much it may, with --budget-usd 5 for example",
      );
    if (budgetUsd === "none")
      throw usageError("--budget-usd must be an amount in dollars: a training asks very often");
    return { kind: "tasks", tasks, budgetUsd, set: sets[0], pool, config, feedback, allowInsideGrades };
  }
  if (allowInsideGrades)
    throw usageError(
      "--allow-inside-grades goes with --recording or --tasks: the rehearsal runs no programs",
    );
  if (sets.length > 0) throw usageError("--set goes with --recording or --tasks: the rehearsal has no sets");
  return { kind: "rehearsal" };
}

/** One set for each recording, or several of one; none means all that a recording holds. */
function pairSets(folders: string[], sets: string[]): { folders: string[]; sets: string[] } {
  const isPaired = sets.length === 0 || sets.length === folders.length || folders.length === 1;
  if (!isPaired)
    throw usageError(
      `--recording is given ${folders.length} times and --set ${sets.length} times: give one set for each recording, in the same order`,
    );
  return { folders: sets.length > folders.length ? sets.map(() => folders[0]!) : folders, sets };
}
