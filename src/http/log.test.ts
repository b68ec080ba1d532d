import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { createLog, type LogLevel } from "./log.ts";

const SECRET = "sk-tutti-abcdefghijklmnop";

function setUp(level?: LogLevel | "off") {
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line), level, now: () => Date.UTC(2026, 10, 17) });
  const last = () => JSON.parse(lines.at(-1)!);
  return { log, lines, last };
}

describe("a line", () => {
  it("is one JSON object with time, level and message first", () => {
    const { log, lines } = setUp();
    log.info("request", {
      status: 200,
      route: "/v1/models",
      isStream: false,
      nothing: undefined,
      none: null,
    });
    expect(lines).toEqual([
      '{"time":"2026-11-17T00:00:00.000Z","level":"info","message":"request","status":200,' +
        '"route":"/v1/models","isStream":false,"none":null}\n',
    ]);
  });

  it("keeps its own fields from being overwritten", () => {
    const { log, last } = setUp();
    log.warn("m", { level: "info", message: "x", time: 0 });
    expect(last()).toMatchObject({ level: "warn", message: "m", field_level: "info", field_message: "x" });
  });

  it("is not written, nor its fields read, below the level", () => {
    const { log, lines } = setUp("error");
    const fields = {
      get expensive() {
        throw new Error("it was read");
      },
    };
    log.info("a", fields);
    log.warn("b", fields);
    log.error("c");
    expect(lines).toHaveLength(1);
    const off = setUp("off");
    off.log.error("d");
    expect(off.lines).toHaveLength(0);
  });
});

describe("secrets", () => {
  it("are taken out of texts wherever they stand", () => {
    const { log, lines } = setUp();
    log.error(`bad key ${SECRET}`, {
      url: `https://u:pass@host/?key=${SECRET}`,
      nested: { list: [`Bearer ${SECRET}`], [SECRET]: 1 },
      map: new Map([["a", SECRET]]),
      error: new TuttiError("auth", `no ${SECRET}`, { cause: new Error(`deep ${SECRET}`) }),
    });
    expect(lines.join("")).not.toContain("abcdefghijklmnop");
    expect(lines.join("")).not.toContain("pass@");
  });

  it("are taken out under the names of secrets, whatever they look like", () => {
    const { log, last } = setUp();
    const headers = { authorization: "Basic dXNlcjpw", "x-api-key": "k", cookie: "a=b", access_token: "t" };
    log.info("m", { headers, tokens: 5, total_tokens: "5" });
    expect(Object.values(last().headers)).toEqual(Array(4).fill("[redacted]"));
    expect(last()).toMatchObject({ tokens: 5, total_tokens: "5" });
  });

  it("are not left half by a cut", () => {
    const { log, lines } = setUp();
    for (let before = 1_980; before < 2_010; before++) log.info(`${"x ".repeat(before / 2)}${SECRET}`);
    for (const line of lines) expect(line).not.toMatch(/sk-tutti-a/);
    log.info(`${"sk-abcdefgh1 ".repeat(1_540)}sk-abcdefgh2`);
    expect(lines.at(-1)).not.toContain("abcdefgh");
  });
});

describe("what is logged", () => {
  it("cannot throw, and stays JSON", () => {
    const { log, last } = setUp();
    const circular: Record<string, unknown> = { a: 1 };
    circular.self = circular;
    log.info("m", {
      circular,
      big: 12n,
      nan: Number.NaN,
      symbol: Symbol("s"),
      run: () => 1,
      bytes: new Uint8Array(9),
      date: new Date(0),
      noDate: new Date(Number.NaN),
      set: new Set([1, 2]),
      url: new URL("http://localhost/a"),
      bare: Object.create(null),
      get bad() {
        throw new Error("no");
      },
      proxy: new Proxy(
        {},
        {
          ownKeys() {
            throw new Error("no");
          },
        },
      ),
    });
    expect(last()).toMatchObject({
      circular: { a: 1, self: "[circular]" },
      ...{ big: "12", nan: "NaN", symbol: "Symbol(s)", bytes: "[9 bytes]", set: [1, 2], bare: {} },
      ...{ date: "1970-01-01T00:00:00.000Z", noDate: "[no time]", url: "http://localhost/a" },
      ...{ bad: "[unreadable]", proxy: "[unreadable]" },
    });
  });

  it("is written for any value there is, in one line", () => {
    const { log, lines } = setUp();
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.anything({
          withBigInt: true,
          withMap: true,
          withSet: true,
          withNullPrototype: true,
          withTypedArray: true,
          withDate: true,
        }),
        (message, value) => {
          lines.length = 0;
          log.error(message, { value });
          expect(lines).toHaveLength(1);
          expect(JSON.parse(lines[0]!)).toMatchObject({ level: "error" });
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
          expect(lines[0]!.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]/);
        },
      ),
      { seed: 9, numRuns: 500 },
    );
  });

  it("does not stop anybody when it cannot be written", () => {
    const log = createLog({
      write() {
        throw new Error("the disk is full");
      },
    });
    expect(() => log.error("m")).not.toThrow();
  });

  it("is bounded in length, depth and number", () => {
    const { log, lines, last } = setUp();
    let deep: unknown = "bottom";
    for (let i = 0; i < 50; i++) deep = { deep };
    log.info("y".repeat(5_000), { list: Array(1_000).fill(1), deep, blob: "z".repeat(1_000_000) });
    expect(last().message).toHaveLength(2_000);
    expect(last().list).toHaveLength(51);
    expect(last().blob.length).toBeLessThanOrEqual(2_000);
    expect(lines.at(-1)!.length).toBeLessThan(10_000);
    log.info("y".repeat(2_000));
    expect(last().message).toBe("y".repeat(2_000));
  });
});

describe("an error", () => {
  const error = new TuttiError("overloaded", "too much", { cause: new TypeError("inside") });

  it("is its code and message, and in errors also its stack and cause", () => {
    const { log, last } = setUp();
    log.info("m", { error });
    expect(last().error).toEqual({ code: "overloaded", message: "too much" });
    log.warn("m", { error });
    expect(last().error).toEqual({ code: "overloaded", message: "too much" });
    log.error("m", { error });
    expect(last().error).toMatchObject({
      stack: expect.stringContaining("log.test.ts"),
      cause: { code: "TypeError", message: "inside" },
    });
  });
});
