import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startCpuClock } from "../testing/cpu-clock.ts";
import { redact, redactRegistered, registerSecret } from "./redact.ts";

const MARK = "[redacted]";
const nothing = new Set<string>();

describe("redact", () => {
  it.each([
    ["Incorrect key: sk-proj-abcDEF123456_x-y.", `Incorrect key: ${MARK}.`],
    ["key sk-ant-api03-abcdefghijk", `key ${MARK}`],
    ["half hidden sk-abcd****wxyz", `half hidden ${MARK}`],
    ["AIzaSyA1234567890abcdefghij", MARK],
    ["gsk_abcdefgh12345678, xai-abcdefgh12345678", `${MARK}, ${MARK}`],
    ["remote ghp_abcdefgh12345678 and github_pat_11ABCDEFG0", `remote ${MARK} and ${MARK}`],
    ["sent Bearer abc.def-ghi/jkl=", `sent Bearer ${MARK}`],
    ["Authorization: Bearer abc123", `Authorization: ${MARK}`],
    ["authorization: Basic dXNlcjpwYXNz\r\nHost: x", `authorization: ${MARK}\r\nHost: x`],
    ["x-api-key: abc-123", `x-api-key: ${MARK}`],
    ["X-Goog-Api-Key:abc", `X-Goog-Api-Key:${MARK}`],
    ["OPENAI_API_KEY=abc next", `OPENAI_API_KEY=${MARK} next`],
    ['{"apiKey":"a b,c","model":"m"}', `{"apiKey":"${MARK}","model":"m"}`],
    ['"{\\"authorization\\":\\"Bearer abc\\"}"', `"{\\"authorization\\":\\"${MARK}\\"}"`],
    ["GET https://host/v1?key=abc123&alt=sse", `GET https://host/v1?key=${MARK}&alt=sse`],
    ["https://user:pass@host/path", `https://${MARK}@host/path`],
  ])("takes the key out of %j", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    "Bearer authentication is required",
    "a risk-assessment-report for task-management",
    "no worker at http://localhost:11434/v1/models?limit=3",
    "the key takeaway: monkey=banana",
  ])("leaves %j as it is", (text) => {
    expect(redact(text)).toBe(text);
  });

  it("is idempotent and leaves no key, whatever stands around", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ..."sk-abcdefgh1|gsk_abcdefgh1|AIzaabcdefgh1|Bearer |Authorization: |x-api-key: |api_key=|?key=|&token=".split(
          "|",
        ),
        ...'http://|user:|pass@|"| |\\|\n|[|]|,|[redacted]|Basic |password":"|redacted'.split("|"),
      ),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const once = redact(pieces.join(""));
        expect(redact(once)).toBe(once);
        expect(once).not.toMatch(/(?<![A-Za-z0-9])(?:sk-|gsk_|AIza)abcdefgh1/);
      }),
      { seed: 7, numRuns: 3000 },
    );
  });

  it.each([
    ["sk-", "sk-"],
    ["authorization", " "],
    ["Bearer", " "],
    ["://a:", "://a:"],
    ["api_key=", '"'],
    ["password=\\", "\\"],
    ["?key=", "?key="],
    ["authorization: basic", " basic "],
    ["", "a"],
  ])("takes linear time on %j followed by many %j", (start, rest) => {
    const text = start + rest.repeat(400_000 / rest.length);
    const cpuMs = startCpuClock();
    redact(text);
    // A quadratic pattern needs minutes here; a linear one some milliseconds.
    expect(cpuMs()).toBeLessThan(2_000);
  });
});

describe("registered secrets", () => {
  it("are found as they are, in JSON, percent-encoded and in base64", () => {
    const secret = 'p@ss/word+"q"=1~é';
    registerSecret(secret);
    const forms = [
      secret,
      JSON.stringify({ text: secret }),
      `?x=${encodeURIComponent(secret)}`,
      encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
      Buffer.from(secret).toString("base64"),
      Buffer.from(secret).toString("base64url"),
      ...["u:", "user:", "me:"].map((user) => Buffer.from(`${user}${secret}:more`).toString("base64")),
    ];
    for (const form of forms) expect(redact(form), form).toContain(MARK);
    expect(redact(`<${secret}>`)).toBe(`<${MARK}>`);
  });

  it("never survive, wherever they stand (property)", () => {
    const secret = fc.string({ minLength: 8, maxLength: 30 }).filter((text) => text.trim().length >= 8);
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        registerSecret(value);
        // A secret that holds or overlaps the mark itself can only be recognised apart from it.
        fc.pre(!/[[\]]/.test(value + before + after));
        const once = redact(before + value + after);
        expect(once).not.toContain(value.trim());
        expect(redact(once)).toBe(once);
      }),
      { seed: 11, numRuns: 60 },
    );
  });

  it("are ignored when too short or a placeholder", () => {
    for (const value of ["", "short12", "  short  ", "lm-studio", "redacted"]) registerSecret(value);
    expect(redact("short12 short lm-studio redacted")).toBe("short12 short lm-studio redacted");
  });

  it("are taken out of data without touching anything else", () => {
    registerSecret("deep-secret-1");
    registerSecret("step-end");
    const clean = { type: "step-end", reply: { text: "fine" }, list: ["a", 1, null] };
    expect(redactRegistered(clean, new Set(["type"]))).toBe(clean);
    const data = {
      text: "it is deep-secret-1.",
      list: [{ input: '{"k":"deep-secret-1"}' }],
      "deep-secret-1": 1,
    };
    expect(redactRegistered(data, nothing)).toEqual({
      text: `it is ${MARK}.`,
      list: [{ input: `{"k":"${MARK}"}` }],
      "deep-secret-1": 1,
    });
    expect(data.text).toBe("it is deep-secret-1.");
  });
});
