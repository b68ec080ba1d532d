// Whether a question stands in a tested prompt. Benchmarks wrap the same question in words of their own, so equal
// prompts are not enough: a question is also a twin when nearly all of its runs of words stand in one tested prompt.

import { promptHash } from "../../world/split.ts";

type Prompt = { prompt: string; choices?: string[] };

/** Words in a run. */
const RUN = 8;
/** Share of the runs that must be there; a wrapper may end in the middle of one. */
const MOST = 0.9;

/** Prompts of fewer than `RUN` words are twins only where they are equal. */
export function createTwinFinder(tested: readonly Prompt[]): (task: Prompt) => boolean {
  const equal = new Set(tested.map((task) => promptHash(task)));
  const owners = new Map<string, number[]>();
  for (const [number, { prompt }] of tested.entries())
    for (const run of new Set(runsOf(prompt))) {
      const known = owners.get(run);
      if (known) known.push(number);
      else owners.set(run, [number]);
    }
  return (task) => {
    if (equal.has(promptHash(task))) return true;
    const runs = runsOf(task.prompt);
    if (runs.length === 0) return false;
    const counts = new Map<number, number>();
    for (const run of runs)
      for (const number of owners.get(run) ?? []) counts.set(number, (counts.get(number) ?? 0) + 1);
    return [...counts.values()].some((count) => count >= MOST * runs.length);
  };
}

function runsOf(text: string): string[] {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return Array.from({ length: Math.max(0, words.length - RUN + 1) }, (_, i) =>
    words.slice(i, i + RUN).join(" "),
  );
}
