import { describe, expect, it } from "vitest";
import { ERROR_CODES, type ErrorTraits, toErrorCode, traitsOf } from "./error-codes.ts";
import { TuttiError } from "./errors.ts";

describe("a code", () => {
  it("gives an error its status and whether asking again may help, unless a provider said otherwise", () => {
    expect(new TuttiError("timeout", "late")).toMatchObject({ status: 504, retryable: true });
    const empty = new TuttiError("rate-limited", "no money", { status: 420, retryable: false });
    expect(empty).toMatchObject({ status: 420, retryable: false });
  });

  it("does not compile where the table does not have it", () => {
    // @ts-expect-error: not a code
    expect(new TuttiError("no-such-code", "?").status).toBe(500);
  });

  it("of another version's journal is read: nothing is known of it, and it may have cost something", () => {
    for (const code of ["from-the-future", "constructor", ""]) {
      expect(traitsOf(code)).toMatchObject({ status: 500, isShown: false, billed: "assumed", remedy: "" });
      expect(toErrorCode(code, "worker-fault")).toBe("worker-fault");
    }
    expect(toErrorCode("timeout", "worker-fault")).toBe("timeout");
  });

  it("that is retryable is an outage, unless it is written down why not", () => {
    const odd = Object.entries<ErrorTraits>(ERROR_CODES).filter(
      ([, { retryable, isOutage }]) => retryable && !isOutage,
    );
    expect(odd.map(([code]) => code)).toEqual(["provider-error"]);
  });
});

/** docs/errors.md is this table. After a change: npx vitest run src/base/error-codes.test.ts -u */
it("is in the docs as it is in the code", async () => {
  await expect(toPage()).toMatchFileSnapshot("../../docs/errors.md");
});

function toPage(): string {
  const rows = Object.entries<ErrorTraits>(ERROR_CODES)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, traits]) => [`\`${code}\``, ...toCells(traits)]);
  return `# Error codes

Every error has a code. It is in the journal, in \`--json\` output (\`{ "error": { "code", "message" } }\`) and, in
the words of each dialect, in the gateway's bodies. Codes are stable: programs may rely on them, not on messages.

- **status**: the HTTP status. In brackets: not shown to clients of the gateway; they get 500 and a request id, which is in the log.
- **exit**: the exit code of the command. 2 is bad usage.
- **asked again**: the same worker is asked again, unless its provider says otherwise.
- **billed**: what a failed ask is taken to have cost: nothing (nobody was asked), only what was written, or all that
  it may have cost.
- **circuit**: when other workers are preferred for half a minute: after three such failures in a row, or at once.
- **outage**: bench and training do not count it against the task. Whatever can be asked again is an outage too.

This page is made from \`src/base/error-codes.ts\` by its test.

${toTable([["code", "status", "exit", "asked again", "billed", "circuit", "outage", "what to do"], ...rows])}
`;
}

function toCells(traits: ErrorTraits): string[] {
  const { status, isShown, exitCode, retryable, billed, opensCircuit, isOutage, remedy } = traits;
  return [
    isShown ? String(status) : `(${status})`,
    String(exitCode),
    retryable ? "yes" : "",
    { never: "", "if-written": "what was written", assumed: "all it may have cost" }[billed],
    { never: "", "after-three": "after three", "at-once": "at once" }[opensCircuit],
    isOutage ? "yes" : "",
    remedy || "as the message says",
  ];
}

function toTable([head, ...rows]: string[][]): string {
  const widths = head!.map((_, column) => Math.max(...[head!, ...rows].map((row) => row[column]!.length)));
  const toLine = (cells: string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`;
  return [head!, widths.map((width) => "-".repeat(width)), ...rows].map(toLine).join("\n");
}
