// What a store does for runs of the gateway, the same for every store: where they came from, what they took,
// the bill, and content that is deleted while metrics stay.

import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  gatewayStart,
  planEnd,
  runEnd,
  runStart,
  simulated,
  stepDelta,
  stepEnd,
  stepError,
} from "../testing/events.ts";
import { STORES } from "../testing/stores.ts";
import { SHADOW_KEY_ID } from "./shadow.ts";
import type { Origin, Owner, RunEvent, RunFilter, SpendingFilter, Store } from "./types.ts";

const me: Owner = { id: "me", pid: process.pid, host: hostname() };
const DAY_MS = 24 * 60 * 60 * 1000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tutti-gateway-runs-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.each(STORES)("the %s store", (_, open) => {
  let store: Store;
  beforeEach(async () => {
    store = await open(folder);
  });
  afterEach(() => store.close());

  const ids = async (filter?: RunFilter) => (await store.listRuns(filter)).map((run) => run.id);
  const summary = async (id: string) => (await store.listRuns({ nested: true })).find((run) => run.id === id);
  /** `value of the first group: cost`, "~" before simulated money. */
  const costs = async (filter: SpendingFilter) =>
    (await store.sumSpending(filter)).map(
      ({ group, isSimulated, costUsd }) =>
        `${isSimulated ? "~" : ""}${Object.values(group).join("/")}: ${costUsd}`,
    );
  const whole = (id: string, origin: Partial<Origin>, at = 0, text = "reply") => [
    gatewayStart(id, origin, at, text),
    planEnd(id, text, 0.25),
    stepEnd(id, text, 0.25, 3),
    runEnd(id, text, at + 1),
  ];

  it("lists shadow runs only for those who ask for them, and counts them on a key of their own", async () => {
    for (const event of [
      whole("a", { keyId: "k1" }),
      whole("b", { keyId: SHADOW_KEY_ID, shadowOf: "a" }),
      whole("c", {}),
    ])
      await store.append(event);
    expect(await ids()).toEqual(["c", "a"]);
    expect(await ids({ shadows: true })).toEqual(["c", "b", "a"]);
    expect(await ids({ keyId: SHADOW_KEY_ID })).toEqual(["b"]);
    expect(await ids({ keyId: "k1", shadows: true })).toEqual(["a"]);
    expect(await store.loadAccount(SHADOW_KEY_ID, 0)).toEqual(await store.loadAccount("k1", 0));
    expect((await store.loadAccount("k1", 0)).spentUsd).toBeGreaterThan(0);
  });

  describe("a summary", () => {
    it("tells where the run came from, without what only its reply needs", async () => {
      const tags = { keyId: "k1", user: "ann", metadata: { team: "red" } };
      await store.append([
        gatewayStart("a", { ...tags, echo: { tools: [] }, idempotencyKey: "once", requestHash: "h" }),
        gatewayStart("b", { dialect: "messages", user: "zero\0sign" }),
        runStart("c"),
      ]);
      expect((await summary("a"))!.origin).toEqual({ model: "tutti", dialect: "chat", ...tags });
      expect((await summary("b"))!.origin).toEqual({
        model: "tutti",
        dialect: "messages",
        user: "zero sign",
      });
      expect((await summary("c"))!.origin).toBeUndefined();
    });

    it("adds up the tokens of plans and steps, failed ones too, also after a resume", async () => {
      await store.append([gatewayStart("a"), planEnd("a", "plan"), stepError("a", "broke")]);
      expect(await summary("a")).toMatchObject({ inputTokens: 2, outputTokens: 2 });
      await store.append([stepEnd("a", "r"), runEnd("a", "r", 1, "tool-calls")]);
      await store.append([{ type: "run-resume", runId: "a", at: 2 }, stepEnd("a", "more", 0.25, 2)]);
      expect(await summary("a")).toMatchObject({
        state: "interrupted",
        inputTokens: 4,
        costUsd: 0.75,
        calls: 5,
      });
      await store.append([stepEnd("a", "last"), runEnd("a", "last", 3)]);
      expect(await summary("a")).toMatchObject({ state: "ended", answer: "last", outputTokens: 5, calls: 3 });
    });

    it("is the same for a run that arrives whole as for one that arrives in pieces", async () => {
      const pieces = whole("a", { keyId: "k1" }, 5, "Größe");
      for (const event of pieces) await store.append([event]);
      const inPieces = await summary("a");
      await store.deleteRun("a");
      await store.append(pieces);
      expect(await summary("a")).toEqual(inPieces);
      expect(inPieces).toMatchObject({ endedAt: 6, answer: "Größe", costUsd: 0.5, inputTokens: 2 });
      expect(await store.loadRun("a")).toEqual(pieces);
      expect(await ids({ text: "GRÖSSE" })).toEqual([]);
      expect(await ids({ text: "GRÖßE" })).toEqual(["a"]);
    });
  });

  it("lists by key, model and why a run stopped", async () => {
    await store.append([
      ...whole("a", { keyId: "k1" }, 1),
      gatewayStart("b", { keyId: "k1", model: "openai/gpt" }, 2),
      ...whole("c", { keyId: "k2", model: "openai/gpt" }, 3),
      runStart("d", 4),
    ]);
    expect(await ids({ keyId: "k1" })).toEqual(["b", "a"]);
    expect(await ids({ keyId: "k1", limit: 1, startedBefore: 2 })).toEqual(["a"]);
    expect(await ids({ keyId: "k3" })).toEqual([]);
    expect(await ids({ model: "openai/gpt" })).toEqual(["c", "b"]);
    expect(await ids({ model: "openai/gpt", keyId: "k1" })).toEqual(["b"]);
    expect(await ids({ stopReason: "done" })).toEqual(["c", "a"]);
    expect(await ids({ stopReason: "cancelled" })).toEqual([]);
  });

  it("finds a run by its idempotency key, for the one who sent it only", async () => {
    await store.append([
      gatewayStart("a", { keyId: "k1", idempotencyKey: "once" }, 1),
      gatewayStart("b", { keyId: "k2", idempotencyKey: "once" }, 2),
      gatewayStart("c", { idempotencyKey: "once" }, 3),
      gatewayStart("d", { keyId: "k1", idempotencyKey: "twice" }, 4),
    ]);
    expect(await ids({ keyId: "k1", idempotencyKey: "once" })).toEqual(["a"]);
    expect(await ids({ idempotencyKey: "once" })).toEqual(["c"]);
    expect(await ids({ idempotencyKey: "twice" })).toEqual([]);
  });

  describe("the bill", () => {
    it("adds up runs of the gateway, running ones included, simulated money apart", async () => {
      await store.append([
        ...whole("a", {}),
        gatewayStart("b"),
        stepEnd("b", "r", 0.125),
        simulated(gatewayStart("c")),
        stepEnd("c", "r", 8),
        runStart("not-of-the-gateway"),
        stepEnd("not-of-the-gateway", "r", 16),
      ]);
      const real = {
        ...{ group: {}, isSimulated: false, estimatedUsd: 0 },
        ...{ cachedInputTokens: 0, cacheWriteTokens: 0, cacheSavedUsd: 0 },
      };
      expect(await store.sumSpending()).toEqual([
        { ...real, runs: 2, calls: 4, costUsd: 0.625, inputTokens: 3, outputTokens: 3 },
        { ...real, isSimulated: true, runs: 1, calls: 1, costUsd: 8, inputTokens: 1, outputTokens: 1 },
      ]);
      expect(await store.sumSpending({ keyId: "nobody" })).toEqual([]);
    });

    it("tells what was read from caches and written into them, and what that saved, also of deleted runs", async () => {
      const cached = (event: RunEvent, read: number, written: number, cacheSavedUsd: number) =>
        "spending" in event
          ? {
              ...event,
              spending: {
                ...event.spending,
                usage: { ...event.spending.usage, cachedInputTokens: read, cacheWriteTokens: written },
                cacheSavedUsd,
              },
            }
          : event;
      await store.append([
        gatewayStart("a", { keyId: "k1" }),
        cached(planEnd("a", "plan", 0.25), 100, 0, 0.5),
        cached(stepEnd("a", "r", 0.25), 0, 300, -0.125),
      ]);
      await store.append([cached(stepEnd("a", "r", 0.25), 300, 0, 2)]);
      await store.append([runEnd("a", "r")]);
      await store.append([gatewayStart("b", { keyId: "k2" }), stepEnd("b", "r"), runEnd("b", "r")]);
      const saved = { cachedInputTokens: 400, cacheWriteTokens: 300, cacheSavedUsd: 2.375 };
      expect(await summary("a")).toMatchObject(saved);
      const before = await store.sumSpending({ groupBy: ["key"] });
      expect(before).toMatchObject([{ group: { key: "k1" }, ...saved }, { cacheSavedUsd: 0 }]);
      expect(await store.sumSpending({ keyId: "k1" })).toMatchObject([saved]);
      await store.deleteRun("a");
      expect(await store.sumSpending({ groupBy: ["key"] })).toEqual(before);
    });

    it("counts nested runs once, with the run at their head", async () => {
      await store.append([
        gatewayStart("a", { keyId: "k1" }),
        { ...runStart("inner", 0, "q", "a"), origin: { model: "tutti", dialect: "chat", keyId: "k1" } },
        stepEnd("inner", "r", 0.5),
        stepEnd("a", "r", 0.5),
      ]);
      expect(await costs({})).toEqual([": 0.5"]);
      expect(await costs({ keyId: "k1" })).toEqual([": 0.5"]);
      await store.deleteRun("inner");
      expect(await costs({})).toEqual([": 0.5"]);
    });

    it("is for a key and a time, from inclusive, to exclusive", async () => {
      for (const [i, keyId] of ["k1", "k1", "k2", "k1"].entries()) {
        await store.append([gatewayStart(`run-${i}`, { keyId }, i), stepEnd(`run-${i}`, "r", 2 ** i)]);
      }
      expect(await costs({ keyId: "k1" })).toEqual([": 11"]);
      expect(await costs({ keyId: "k1", from: 1 })).toEqual([": 10"]);
      expect(await costs({ from: 1, to: 3 })).toEqual([": 6"]);
      await store.prune(2);
      expect(await costs({ from: 1, to: 3 })).toEqual([": 6"]);
    });

    it("is grouped by key, user, model, day and tags, nothing where a run has none", async () => {
      const noon = Date.UTC(2026, 10, 17, 12);
      await store.append([
        ...whole("a", { keyId: "k1", user: "ann", metadata: { team: "red" } }, noon),
        ...whole(
          "b",
          { keyId: "k1", user: "ann", metadata: { team: "blue", other: "x" } },
          noon + DAY_MS / 2,
        ),
        ...whole("c", { keyId: "k2", model: "tutti-fast" }, noon + DAY_MS / 2 - 1),
        simulated(gatewayStart("d", { keyId: "k2" }, noon)),
        stepEnd("d", "r", 4),
      ]);
      expect(await costs({ groupBy: ["key"] })).toEqual(["k1: 1", "k2: 0.5", "~k2: 4"]);
      expect(await costs({ groupBy: ["user"] })).toEqual([": 0.5", "~: 4", "ann: 1"]);
      expect(await costs({ groupBy: ["model"] })).toEqual(["tutti: 1", "~tutti: 4", "tutti-fast: 0.5"]);
      expect(await costs({ groupBy: ["day"] })).toEqual([
        "2026-11-17: 1",
        "~2026-11-17: 4",
        "2026-11-18: 0.5",
      ]);
      expect(await costs({ keyId: "k1", groupBy: ["metadata.team"] })).toEqual(["blue: 0.5", "red: 0.5"]);
      expect(await costs({ groupBy: ["metadata.other", "key"] })).toEqual([
        "/k1: 0.5",
        "/k2: 0.5",
        "~/k2: 4",
        "x/k1: 0.5",
      ]);
      const [first] = await store.sumSpending({ groupBy: ["metadata.team", "day"] });
      expect(first!.group).toEqual({ "metadata.team": "", day: "2026-11-17" });
    });

    it("takes any name of a tag as it is", async () => {
      let count = 0;
      const names = fc.oneof(
        fc.constantFrom('a"b', "a.b", "$", "$.a", "a\\", "a'); --", "[0]", "é", "", "__proto__", "toString"),
        fc.string({ minLength: 1, maxLength: 12 }),
      );
      await fc.assert(
        fc.asyncProperty(names, fc.string({ maxLength: 9 }), async (name, value) => {
          const keyId = `k${count++}`;
          const metadata = Object.fromEntries([
            ["a", "not this"],
            [name, value],
          ]);
          await store.append([gatewayStart(keyId, { keyId, metadata })]);
          const rows = await store.sumSpending({ keyId, groupBy: [`metadata.${name}`] });
          expect(rows.map((row) => row.group)).toEqual([{ [`metadata.${name}`]: value }]);
          const others = await store.sumSpending({ keyId, groupBy: [`metadata.${name}.b`] });
          expect(others.map((row) => row.group)).toEqual([{ [`metadata.${name}.b`]: "" }]);
        }),
        { seed: 11, numRuns: 100 },
      );
    });

    it("keeps the metrics of deleted runs, which are in no list any more", async () => {
      await store.append([
        ...whole("a", { keyId: "k1", user: "ann", idempotencyKey: "once", metadata: { team: "red" } }, 1),
        ...whole("b", { keyId: "k1" }, 2),
        runStart("plain", 3),
        ...whole("young", { keyId: "k1" }, 9),
      ]);
      const filter: SpendingFilter = { groupBy: ["key", "user", "model", "day", "metadata.team"] };
      const before = await store.sumSpending(filter);
      expect(before).toHaveLength(2);
      expect(await store.deleteRun("a")).toBe(true);
      expect(await store.deleteRun("a")).toBe(false);
      expect(await store.prune(9)).toBe(2);
      expect(await ids({ nested: true })).toEqual(["young"]);
      expect(await ids({ keyId: "k1", idempotencyKey: "once" })).toEqual([]);
      expect(await store.loadRun("a")).toEqual([]);
      expect(await store.stripRun("a")).toBe(false);
      expect(await store.sumSpending(filter)).toEqual(before);
    });
  });

  describe("stripping", () => {
    it("takes out what was said, of nested runs too, and leaves the metrics", async () => {
      const tags = { keyId: "k1", user: "ann", idempotencyKey: "once" };
      await store.append([
        gatewayStart("a", { ...tags, echo: { instructions: "SAID" } }, 1, "SAID: how?"),
        stepDelta("a", "SAID"),
        runStart("inner", 2, "SAID within", "a"),
        stepEnd("inner", "SAID", 0.5),
      ]);
      await store.append([stepEnd("a", "SAID É", 0.5), runEnd("a", "SAID É", 9)]);
      const [before, bill] = [await summary("a"), await store.sumSpending({ groupBy: ["user"] })];

      expect(await store.stripRun("a")).toBe(true);
      expect(JSON.stringify([await store.loadRun("a"), await store.loadRun("inner")])).not.toContain("SAID");
      expect((await store.loadRun("a")).map((event) => event.type)).toEqual([
        "run-start",
        "step-end",
        "run-end",
      ]);
      expect(await summary("a")).toEqual({ ...before, question: "", answer: "", isStripped: true });
      expect(await summary("inner")).toMatchObject({ question: "", isStripped: true, costUsd: 0.5 });
      expect(await ids({ text: "said", nested: true })).toEqual([]);
      expect(await ids({ text: "é" })).toEqual([]);
      expect(await ids({ keyId: "k1", idempotencyKey: "once" })).toEqual(["a"]);
      expect(await store.sumSpending({ groupBy: ["user"] })).toEqual(bill);

      expect(await store.stripRun("a")).toBe(true);
      expect(await store.deleteRun("a")).toBe(true);
      expect(await store.sumSpending({ groupBy: ["user"] })).toEqual(bill);
      expect(await store.stripRun("unknown")).toBe(false);
    });

    it("leaves other runs, and what is missing, as they are", async () => {
      await store.append([runStart("a"), runStart("b", 1, "kept")]);
      expect(await store.stripRun("a")).toBe(true);
      expect((await summary("a"))!.answer).toBeUndefined();
      expect(await summary("b")).toMatchObject({ question: "kept", isStripped: false });
    });

    it("is refused while the run is performed", async () => {
      await store.append([runStart("a", 1), runStart("b", 2, "q", "a")]);
      await store.claim("a", me);
      for (const id of ["a", "b"])
        await expect(store.stripRun(id)).rejects.toMatchObject({ code: "run-active" });
      await store.append([runEnd("b", "x"), runEnd("a", "x")]);
      expect(await store.stripRun("a")).toBe(true);
    });

    it("shows in the summary of a run whose content never was there", async () => {
      await store.append([{ ...runStart("a", 0, ""), isStripped: true }]);
      expect(await summary("a")).toMatchObject({ isStripped: true });
    });
  });
});
