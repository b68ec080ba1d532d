// Every input that a fuzzer has ever failed on, and those it starts from, as ordinary tests.
import { describe, expect, test } from "vitest";
import { readCorpus } from "./corpus.ts";
import { findFault } from "./target.ts";
import { TARGETS } from "./targets.ts";

describe.each(TARGETS)("$name", (target) => {
  test("holds for its corpus", async () => {
    const corpus = readCorpus(target.name);
    expect(corpus.length).toBeGreaterThan(0);
    for (const { name, input } of corpus)
      expect({ name, fault: await findFault(target, input) }).toEqual({ name, fault: undefined });
  });
});
