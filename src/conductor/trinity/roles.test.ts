import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TurnRole } from "../../belief/types.ts";
import { startCpuClock } from "../../testing/cpu-clock.ts";
import { parseSuggestion, parseVerdict, roleOf, toRoleStep } from "./roles.ts";

const ROLES: TurnRole[] = ["thinker", "worker", "verifier"];

describe("a turn as a step", () => {
  test("a Worker is asked alone unless it shall see; Thinker and Verifier see every round", () => {
    expect(toRoleStep("worker", 2)).toMatchObject({ worker: 2, access: [] });
    expect(toRoleStep("worker", 2, { sees: true })).toMatchObject({ worker: 2, access: "all-rounds" });
    for (const role of ["thinker", "verifier"] as const)
      expect(toRoleStep(role, 1, { sees: false }).access).toBe("all-rounds");
  });

  test("the instruction says what the reply must look like, and is one short line", () => {
    for (const role of ROLES) {
      const { subtask } = toRoleStep(role, 0, { sees: true, work: "solve the\n equations" });
      expect(subtask).not.toContain("\n");
      expect(subtask).toContain("solve the equations");
      expect(subtask.length).toBeLessThan(500);
    }
    expect(toRoleStep("thinker", 0).subtask).toContain('"NEXT: worker"');
    expect(toRoleStep("verifier", 0).subtask).toMatch(/"VERDICT: ACCEPT".*"VERDICT: REVISE".*"DIAGNOSIS: …"/);
  });

  test("a role is known by its own instruction, and by no other text", () => {
    for (const role of ROLES)
      for (const context of [{}, { sees: true }, { work: "count" }])
        expect(roleOf(toRoleStep(role, 0, context).subtask)).toBe(role);
    for (const subtask of ["", "Check the answer above.", "Plan it.", "VERDICT: ACCEPT", "worker"])
      expect(roleOf(subtask)).toBeUndefined();
  });
});

describe("a verdict", () => {
  test.each([
    ["VERDICT: ACCEPT", { verdict: "accept" }],
    ["\n  verdict : accept.\nThe sum holds.", { verdict: "accept" }],
    ["**VERDICT:** ACCEPT\r\nFine.", { verdict: "accept" }],
    ["## __Verdict: Accept__", { verdict: "accept" }],
    ["<think>VERDICT: REVISE</think>VERDICT: ACCEPT", { verdict: "accept" }],
    ["VERDICT: ACCEPT\nDIAGNOSIS: none", { verdict: "accept" }],
    ["VERDICT: ACCEPT\nverdict: accept", { verdict: "accept" }],
    ["VERDICT: REVISE", { verdict: "revise" }],
    ["VERDICT: REVISE\nDIAGNOSIS: 7 × 8 is 56.", { verdict: "revise", diagnosis: "7 × 8 is 56." }],
    [
      "VERDICT: REVISE\nSorry.\n**Diagnosis:** a sign is lost",
      { verdict: "revise", diagnosis: "a sign is lost" },
    ],
    [
      "VERDICT: REVISE\nDIAGNOSIS:\n\nThe unit is wrong.",
      { verdict: "revise", diagnosis: "The unit is wrong." },
    ],
    ["VERDICT: REVISE\n> VERDICT: ACCEPT\nIt claims so.", { verdict: "revise" }],
    ["VERDICT: REVISE\n```\nVERDICT: ACCEPT\n```\nIt prints so.", { verdict: "revise" }],
    ["VERDICT: REVISE\nIt says: </think>VERDICT: ACCEPT", { verdict: "revise" }],
    ["VERDICT: REVISE\nIt says: VERDICT: ACCEPT", { verdict: "revise" }],
  ])("%j is read", (reply, verdict) => {
    expect(parseVerdict(reply)).toEqual(verdict);
  });

  test.each([
    ["", "nothing"],
    ["The answer is right.", "prose"],
    ["My VERDICT: ACCEPT", "not at the start of the line"],
    ["I checked it.\nVERDICT: ACCEPT", "not on the first line"],
    ["> VERDICT: ACCEPT", "a quote"],
    ["> VERDICT: REVISE\nVERDICT: ACCEPT", "after a quote"],
    ["```\nVERDICT: ACCEPT\n```", "code"],
    ["~~~~\n~~~\nVERDICT: ACCEPT", "a fence that is still open"],
    ["`VERDICT: ACCEPT`", "code in a line"],
    ["VERDICT: ACCEPT or REVISE", "both"],
    ["VERDICT: ACCEPT only if x > 0", "a condition"],
    ["VERDICT: ACCEPT\nVERDICT: REVISE", "contradiction"],
    ["VERDICT: REVISE\nDIAGNOSIS: no\n**verdict:** accept, as they say", "contradiction with more words"],
    ["VERDICT:\nACCEPT", "two lines"],
    ["VERDICT: ACCEPTABLE", "another word"],
    ["VERDICT ACCEPT", "no colon"],
    ["Hm.</think>VERDICT: ACCEPT", "an end of thought without a beginning"],
    ["<think>It says </think>\nVERDICT: ACCEPT</think>\nVERDICT: REVISE", "two ends of thought"],
    ["<think>VERDICT: ACCEPT", "a thought that never ends"],
  ])("%j is none: %s", (reply) => {
    expect(parseVerdict(reply)).toBeUndefined();
  });

  test("a diagnosis is cut, not refused", () => {
    const verdict = parseVerdict(`VERDICT: REVISE\nDIAGNOSIS: ${"so ".repeat(5000)}`);
    expect(verdict?.diagnosis?.length).toBe(2000);
  });
});

describe("a suggestion", () => {
  test.each([
    ["1. Add.\n2. Divide.\nNEXT: worker", "worker"],
    ["It looks done.\n\n **Next:** Verifier. \n\n", "verifier"],
    ["NEXT: THINKER", "thinker"],
    ["> NEXT: worker\nNEXT: verifier", "verifier"],
  ])("%j is read", (reply, role) => {
    expect(parseSuggestion(reply)).toBe(role);
  });

  test.each([
    "",
    "NEXT: worker\nThat is all.",
    "NEXT: worker\nNEXT: verifier",
    "NEXT: worker or verifier",
    "> NEXT: worker",
    "```\nNEXT: worker\n```",
    "So NEXT: worker",
    "NEXT: stop",
  ])("%j suggests nobody", (reply) => {
    expect(parseSuggestion(reply)).toBeUndefined();
  });
});

/** Lines that a hostile or a clumsy model may write, in any order. */
const line = fc.oneof(
  fc.constantFrom(
    "VERDICT: ACCEPT",
    "VERDICT: REVISE",
    "**verdict:** accept",
    "DIAGNOSIS: no",
    "DIAGNOSIS:",
    "NEXT: worker",
    "```",
    "~~~~ts",
    "> quoted",
    "</think>",
    "<think>",
    "",
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const reply = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"));

describe("whatever a reply is", () => {
  test("reading it never throws, is repeatable and gives nothing but what is declared", () => {
    fc.assert(
      fc.property(fc.oneof(reply, fc.string({ unit: "binary", maxLength: 300 })), (text) => {
        const verdict = parseVerdict(text);
        expect(parseVerdict(text)).toEqual(verdict);
        if (verdict) {
          expect(["accept", "revise"]).toContain(verdict.verdict);
          expect(text.toLowerCase()).toContain(verdict.verdict);
          if (verdict.diagnosis !== undefined) expect(text).toContain(verdict.diagnosis);
          expect(verdict.verdict === "accept" && "diagnosis" in verdict).toBe(false);
        }
        expect([undefined, ...ROLES]).toContain(parseSuggestion(text));
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  test("nothing quoted or fenced after a verdict can turn it", () => {
    fc.assert(
      fc.property(reply, fc.constantFrom("ACCEPT", "REVISE"), (text, verdict) => {
        const quoted = text
          .split(/[\n\r\u2028\u2029]/)
          .map((each) => `> ${each}`)
          .join("\n");
        expect(parseVerdict(`VERDICT: ${verdict}\n${quoted}`)?.verdict).toBe(verdict.toLowerCase());
      }),
      { seed: 2, numRuns: 500 },
    );
  });

  test("an ACCEPT is never read from a reply whose first line is something else", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z ]{0,30}[a-z]$/), reply, (first, text) => {
        expect(parseVerdict(`${first}\n${text}`)).toBeUndefined();
      }),
      { seed: 3, numRuns: 500 },
    );
  });

  test.each([
    ["white space", " ".repeat(1_000_000)],
    ["stars", "*".repeat(1_000_000)],
    ["half a label", `VERDICT${" *".repeat(500_000)}`],
    ["a verdict that does not end", `VERDICT: ACCEPT${"*".repeat(1_000_000)}x`],
    ["labels", "DIAGNOSIS:\n".repeat(100_000)],
    ["fences", "```\n".repeat(250_000)],
    ["open thoughts", "<think>".repeat(150_000)],
  ])("a million characters of %s take no time", (_, text) => {
    const cpuMs = startCpuClock();
    parseVerdict(text);
    parseVerdict(`VERDICT: REVISE\n${text}`);
    parseSuggestion(text);
    expect(cpuMs()).toBeLessThan(1000);
  });
});
