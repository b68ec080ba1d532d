import { expect, it } from "vitest";
import { parseConfig } from "../config/problems.ts";
import { createPoolFinder } from "./run-setup.ts";

it("forgets pools that nobody has asked for in a long time: clients may name any number of them", async () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const workers = names.map((id) => ({ id, model: `local/${id}`, baseUrl: "http://127.0.0.1:9/v1" }));
  const finder = createPoolFinder(parseConfig({ workers }), {}, () => {});
  const all = await finder.find();
  for (let order = 0; order < 600; order++) {
    const selector = names.slice(0, 2 + (order % 5)).sort(() => (order % 7) - 3);
    await finder.find([...selector, names[order % 6]!, ...Array.from({ length: order % 11 }, () => "a")]);
  }
  expect(finder.size).toBeLessThanOrEqual(256);
  expect((await finder.find()).pool.members).toHaveLength(all.pool.members.length);
});
