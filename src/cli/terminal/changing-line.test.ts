import { describe, expect, test } from "vitest";
import { createChangingLine } from "./changing-line.ts";

function open(isTTY: boolean) {
  let written = "";
  let now = 1_000_000;
  const stream = {
    isTTY,
    columns: 30,
    write(text: string) {
      written += text;
      return true;
    },
  };
  const line = createChangingLine(stream as unknown as NodeJS.WriteStream, () => now);
  return {
    line,
    pass: (ms: number) => {
      now += ms;
    },
    take: () => {
      const text = written;
      written = "";
      return text;
    },
  };
}

describe("on a terminal", () => {
  test("shows at once, then at most ten times a second, in place of what was there", () => {
    const { line, pass, take } = open(true);
    line.show(() => ["1 of 9", "$0.01"]);
    expect(take()).toBe("\r\u001b[K1 of 9 · $0.01");
    pass(50);
    line.show(() => ["2 of 9"]);
    expect(take()).toBe("");
    pass(50);
    line.show(() => ["3 of 9"]);
    expect(take()).toBe("\r\u001b[K3 of 9");
  });

  test("does not make the parts when it is too early to show them", () => {
    const { line } = open(true);
    line.show(() => ["once"]);
    line.show(() => {
      throw new Error("too early");
    });
  });

  test("cuts what is too long, so that the line can be taken away", () => {
    const { line, take } = open(true);
    line.show(() => ["x".repeat(80)]);
    expect(take()).toBe(`\r\u001b[K${"x".repeat(28)}…`);
    line.end();
    expect(take()).toBe("\r\u001b[K");
  });
});

describe("where nobody watches", () => {
  test("writes a whole line every few seconds, the first after some time", () => {
    const { line, pass, take } = open(false);
    line.show(() => ["1 of 9"]);
    expect(take()).toBe("");
    pass(5_000);
    line.show(() => ["2 of 9", "$0.01"]);
    expect(take()).toBe("2 of 9 · $0.01\n");
    pass(4_999);
    line.show(() => ["3 of 9"]);
    line.end();
    expect(take()).toBe("");
  });
});

test("nothing is taken away that was never shown", () => {
  const { line, take } = open(true);
  line.end();
  expect(take()).toBe("");
});
