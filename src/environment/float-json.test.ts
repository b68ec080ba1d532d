import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Float, toFloatJson, toFloatText } from "./float-json.ts";

describe("floats in text", () => {
  test.each([
    [1, "1.0"],
    [0, "0.0"],
    [-0, "0.0"],
    [0.5, "0.5"],
    [-1, "-1.0"],
    [1e21, "1e+21"],
    [1e-7, "1e-7"],
  ])("%d is written %s", (value, text) => {
    expect(toFloatText(value)).toBe(text);
  });

  test("every finite number reads back, and never as what Python takes for an integer", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = toFloatText(value);
        expect(JSON.parse(text)).toBe(value === 0 ? 0 : value);
        expect(text).toMatch(/[.e]/);
      }),
    );
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("%d is refused", (value) => {
    expect(() => toFloatText(value)).toThrow(RangeError);
  });

  test("the rest is JSON as ever", () => {
    expect(toFloatJson({ 'a"': [new Float(1), 1, null, true, "x\n"], b: {} })).toBe(
      '{"a\\"":[1.0,1,null,true,"x\\n"],"b":{}}',
    );
  });
});
