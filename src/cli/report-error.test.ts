import { describe, expect, it } from "vitest";
import { TuttiError, usageError } from "../base/errors.ts";
import { reportError } from "./report-error.ts";

function report(
  error: unknown,
  { isJson = false, env = {} }: { isJson?: boolean; env?: NodeJS.ProcessEnv } = {},
) {
  const written = { stdout: "", stderr: "" };
  const sink = (name: keyof typeof written) => ({
    write(text: string) {
      written[name] += text;
    },
  });
  const code = reportError(error, isJson, { stdout: sink("stdout"), stderr: sink("stderr"), env });
  return { code, ...written };
}

describe("reportError", () => {
  it("tells bad usage from failure by the exit code", () => {
    expect(report(usageError("no such flag"))).toEqual({
      code: 2,
      stdout: "",
      stderr: "tutti: no such flag\n",
    });
    expect(report(new TuttiError("unknown-run", "no such run")).code).toBe(1);
  });

  it("tells an unexpected error in one line, with a hint and without a stack", () => {
    const { code, stderr } = report(new TypeError("x is not a function\nat somewhere"));
    expect(stderr).toBe(
      "tutti: unexpected error: x is not a function (run it again with TUTTI_DEBUG=1 to see where it comes from)\n",
    );
    expect(code).toBe(1);
  });

  it("shows the stack, and that of the cause, with TUTTI_DEBUG=1", () => {
    const error = new TuttiError("internal", "outer", { cause: new RangeError("inner") });
    const { stderr } = report(error, { env: { TUTTI_DEBUG: "1" } });
    expect(stderr).toMatch(/report-error\.test\.ts[\s\S]*caused by: RangeError: inner/);
  });

  it("writes JSON to stdout alone, and nothing that a terminal obeys", () => {
    const { stdout, stderr } = report(new TuttiError("auth", "bad \u009b31m key"), { isJson: true });
    expect(JSON.parse(stdout)).toEqual({ error: { code: "auth", message: "bad \u009b31m key" } });
    expect([stdout.includes("\u009b"), stderr]).toEqual([false, ""]);
    expect(report(new TuttiError("auth", "bad \u001b[31m key")).stderr).toMatch(
      /^tutti: bad {2}key\n {2}Check .*\n$/,
    );
  });
});
