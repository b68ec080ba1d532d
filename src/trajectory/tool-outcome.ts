// What the text of a tool's result tells for certain: whether it failed, with which error, and how tests went that it ran.
// Read from the words that shells, interpreters and test runners print. In doubt nothing is said.

export interface ToolOutcome {
  failed: boolean;
  /** The error without what changes from run to run: numbers, addresses, quoted names of temporary files. */
  signature?: string;
  tests?: "passed" | "failed";
}

/** Runners print their summary at the end, errors stand at either end. */
const HEAD = 4_000;
const TAIL = 8_000;
const LONGEST_SIGNATURE = 160;

const EXIT_CODE =
  /\b(?:exit(?:ed)?(?: with)?(?: code| status)?|returned?(?: code)?|status)[ :=]+(-?\d{1,3})\b/i;
const ERROR_LINE =
  /^(?:(?:Uncaught |\S{0,60}: )?[\w.]{0,60}(?:Error|Exception)(?: \[\w+\])?: .*|.{0,80}?\berror(?:\[[\w-]+\])?:.*|fatal:.*|panic:.*|.*command not found.*|.*No such file or directory.*|.*Permission denied.*|Traceback \(most recent call last\).*)$/m;

/** Each runner's own summary. `failed` may be missing where it prints none. */
const RUNNERS: readonly { passed: RegExp; failed: RegExp }[] = [
  // vitest, jest
  {
    passed: /^[ \t]{0,40}Tests:?[ \t]{1,40}(?:.{0,200}\b)?\d+ passed\b/m,
    failed: /^[ \t]{0,40}Tests:?[ \t]{1,40}(?:.{0,200}\b)?[1-9]\d* failed\b/m,
  },
  // pytest
  {
    passed: /^={0,100}[ \t]{0,9}(?:.{0,200}, )?\d+ passed\b.{0,200} in [\d.]+/m,
    failed: /^={0,100}[ \t]{0,9}(?:.{0,200}, )?[1-9]\d* (?:failed|errors?)\b.{0,200} in [\d.]+/m,
  },
  // node --test, TAP
  { passed: /^(?:#|ℹ) fail 0$/m, failed: /^(?:#|ℹ) fail [1-9]\d*$/m },
  // cargo
  { passed: /^test result: ok\./m, failed: /^test result: FAILED\./m },
  // go
  { passed: /^ok[ \t]{1,9}\S{1,200}[ \t]{1,9}(?:[\d.]+s|\(cached\))/m, failed: /^(?:--- )?FAIL\b/m },
  // unittest
  { passed: /^Ran [1-9]\d* tests? in [\d.]+s\n{1,4}OK\b/m, failed: /^FAILED \((?:failures|errors)=/m },
  // mocha
  { passed: /^[ \t]{0,40}[1-9]\d* passing\b/m, failed: /^[ \t]{0,40}[1-9]\d* failing\b/m },
];

export function readToolOutcome(content: string): ToolOutcome {
  const text = content.length <= HEAD + TAIL ? content : `${content.slice(0, HEAD)}\n${content.slice(-TAIL)}`;
  const tests = readTests(text);
  const code = EXIT_CODE.exec(text)?.[1];
  const line = ERROR_LINE.exec(text)?.[0];
  const failed = tests === "failed" || (code !== undefined ? Number(code) !== 0 : isErrorAlone(text, line));
  if (!failed) return { failed, tests };
  return { failed, signature: toSignature(line ?? lastLine(text)), tests };
}

function readTests(text: string): ToolOutcome["tests"] {
  let passed = false;
  for (const runner of RUNNERS) {
    if (runner.failed.test(text)) return "failed";
    passed ||= runner.passed.test(text);
  }
  return passed ? "passed" : undefined;
}

/** Without an exit code: a result that begins or ends with an error, not a file that speaks of one. */
function isErrorAlone(text: string, line: string | undefined): boolean {
  if (line === undefined) return false;
  const trimmed = text.trim();
  return trimmed.startsWith(line.trim()) || trimmed.endsWith(line.trim()) || /^Traceback/m.test(trimmed);
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}

function toSignature(line: string): string {
  return line
    .trim()
    .replace(/0x[\da-f]+/gi, "0x")
    .replace(/\d+/g, "0")
    .slice(0, LONGEST_SIGNATURE);
}
