// Runs a table of programs in children, and goes on behind a program that hung its child.
import { fileURLToPath } from "node:url";
import { parse } from "./http.mjs";
import { startLines } from "./processes.mjs";

const CHILD = fileURLToPath(new URL("./programs-child.mjs", import.meta.url));

/** By number: what the child said, or { isHung: true }. No program may take longer than `eachMs`. */
export async function runPrograms(kind, count, eachMs) {
  const results = [];
  while (results.length < count) {
    const child = startLines([CHILD, kind, String(results.length)]);
    for (;;) {
      const line = await child.next(eachMs);
      const told = line === undefined ? undefined : parse(line);
      if (told?.isOver) break;
      if (told !== undefined) results.push(told);
      else {
        results.push({ isHung: true, why: child.said() });
        break;
      }
      if (results.length >= count) break;
    }
    await child.end();
  }
  return results;
}
