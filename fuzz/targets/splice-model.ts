// Another model's name in a body, byte by byte: whoever reads the result must see that name, and all else as it was.

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { spliceModel } from "../../src/gateway/relay/splice-model.ts";
import { type FuzzTarget, must } from "../target.ts";

const name = fc.constantFrom("model", "mod\\u0065l", "models", "Model", "x", '\\"model', "model\\\\");
const field = fc.tuple(name, fc.json({ maxDepth: 2 })).map(([key, value]) => `"${key}" : ${value}`);

export const modelSplice: FuzzTarget = {
  name: "splice-model",
  tokens: ['"model"', '"model":', '"mod\\u0065l":', "{", "}", '"', "\\", ",", ":", "[{"],
  inputs: fc.array(field, { maxLength: 5 }).map((fields) => `{${fields.join(",")}}`),
  check(input) {
    const spliced = spliceModel(input, "another");
    let before: unknown;
    try {
      before = JSON.parse(input.toString("utf8"));
    } catch {
      // Not JSON in the end: its provider will say so.
      return;
    }
    const after = JSON.parse(spliced.toString("utf8"));
    const expected = JSON.parse(input.toString("utf8"), function (this: unknown, key, value) {
      return key === "model" && this !== null && isDeepStrictEqual(this, before) ? "another" : value;
    });
    if (Object.hasOwn(before as object, "model")) must(after.model === "another", "the model is another one");
    const { model: _, ...rest } = after;
    const { model: __, ...others } = expected;
    must(isDeepStrictEqual(rest, others), "another field was changed");
  },
};
