import { expect, it } from "vitest";
import { type CachedReply, ResponseCache } from "./response-cache.ts";

const reply = (runId: string, text = ""): CachedReply => ({
  kind: "body",
  runId,
  costUsd: 1,
  body: { text },
});

it("keeps an answer until it is too old", () => {
  let now = 0;
  const cache = new ResponseCache({ ttlMs: 100, maxBytes: 100_000 }, () => now);
  cache.keep("a", reply("r1"));
  now = 99;
  expect(cache.find("a")).toEqual(reply("r1"));
  now = 100;
  expect(cache.find("a")).toBeUndefined();
});

it("stays within its bytes: whoever was not asked for longest leaves, and nothing too large comes in", () => {
  const cache = new ResponseCache({ ttlMs: 1_000, maxBytes: 10_000 });
  for (const name of ["a", "b", "c", "d"]) cache.keep(name, reply(name, "x".repeat(900)));
  cache.find("a");
  cache.keep("e", reply("e", "x".repeat(900)));
  expect(["a", "b", "c", "d", "e"].filter((name) => cache.find(name))).toEqual(["a", "c", "d", "e"]);
  cache.keep("large", reply("large", "x".repeat(5_000)));
  expect(cache.find("large")).toBeUndefined();
  expect(cache.find("a")).toBeDefined();
});

it("forgets a run under all its names", () => {
  const cache = new ResponseCache({ ttlMs: 1_000, maxBytes: 100_000 });
  for (const name of ["a", "b"]) cache.keep(name, reply("r1"));
  cache.keep("c", reply("r2"));
  cache.forget("r1");
  expect(["a", "b", "c"].filter((name) => cache.find(name))).toEqual(["c"]);
});
