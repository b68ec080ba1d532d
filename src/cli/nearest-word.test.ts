// Every verb and every flag, each mistyped by one letter: the message names what was typed and offers the right word.
// Real processes would take minutes for hundreds of them, so commander is driven here, with the very same definitions.

import { describe, expect, it } from "vitest";
import { runTutti } from "../testing/command.ts";
import type { VerbWords } from "./completion/tree.ts";
import { createProgram } from "./program.ts";
import { reportError } from "./report-error.ts";

const { stdout } = await runTutti(["completion", "bash", "--json"]);
const TREE = JSON.parse(stdout) as VerbWords[];

/** A letter left out in the middle: never another word of the list by chance, or it is skipped. */
function mangle(word: string): string {
  const at = Math.max(word.startsWith("--") ? 3 : 1, Math.floor(word.length / 2));
  return word.slice(0, at) + word.slice(at + 1);
}

/** Without a letter "shadow" would be as near to "show". */
function doubleLetter(word: string): string {
  const at = Math.floor(word.length / 2);
  return word.slice(0, at) + word.charAt(at) + word.slice(at);
}

async function failureOf(args: string[]): Promise<{ code: number; text: string }> {
  const program = await createProgram(args.filter((word) => !word.startsWith("-")).slice(0, 2));
  let text = "";
  const io = { stdout: { write: () => {} }, stderr: { write: (part: string) => (text += part) }, env: {} };
  const thrown = await program.parseAsync(args, { from: "user" }).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { code: reportError(thrown, false, io), text };
}

const VERBS = TREE.flatMap(({ path, verbs }) => verbs.map((verb) => ({ path, verb })));
const FLAGS = TREE.flatMap(({ path, flags }) => flags.map(({ name }) => ({ path, name })));

describe("a mistyped word", () => {
  it("is known for every verb there is", () => {
    expect(VERBS.length).toBeGreaterThan(25);
    expect(FLAGS.length).toBeGreaterThan(150);
  });

  it.each(VERBS)("$path $verb", async ({ path, verb }) => {
    const wrong = doubleLetter(verb);
    const { code, text } = await failureOf([...path.split(" ").slice(1), wrong]);
    expect(text).toContain(wrong);
    expect(text).toContain(`Did you mean "${verb}"?`);
    expect(code).toBe(2);
  });

  it.each(FLAGS)("$path $name", async ({ path, name }) => {
    const wrong = mangle(name);
    const { code, text } = await failureOf([...path.split(" ").slice(1), wrong]);
    expect(text).toContain(wrong);
    // A letter less may be as near to a sister of the flag: --rounds and --round-…
    expect(text).toMatch(/Did you mean .*--/);
    expect(text).toContain(name);
    expect(code).toBe(2);
  });
});
