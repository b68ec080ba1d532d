// Whether what a program gave is what was expected. Done out here and never in the sandbox: a program can
// bend every comparison that happens in its own world.

const TOLERANCE = 1e-6;
/** Whole numbers up to here are exact in JavaScript. */
const EXACT_DIGITS = 15;

/** Line by line and token by token. Space around lines and empty lines at the end do not count. */
export function isSameOutput(expected: string, actual: string): boolean {
  const left = linesOf(expected);
  const right = linesOf(actual);
  return areSame(left, right, isSameLine);
}

/** Stops at the first difference, so that it takes no longer than what is expected is long. */
function areSame(
  expected: Generator<string>,
  actual: Generator<string>,
  isSame: (expected: string, actual: string) => boolean,
): boolean {
  for (;;) {
    const left = expected.next();
    const right = actual.next();
    if (left.done || right.done) return left.done === right.done;
    if (!isSame(left.value, right.value)) return false;
  }
}

// One at a time: a program may print tens of millions of lines, more than a list could hold.
function* linesOf(text: string): Generator<string> {
  const whole = text.trimEnd();
  const end = /\r\n|\n|\r/g;
  for (let at = 0; ; at = end.lastIndex) {
    end.lastIndex = at;
    const found = end.exec(whole);
    yield whole.slice(at, found?.index).trim();
    if (!found) return;
  }
}

function* tokensOf(line: string): Generator<string> {
  for (const [token] of line.matchAll(/\S+/g)) yield token;
}

function isSameLine(expected: string, actual: string): boolean {
  return expected === actual || areSame(tokensOf(expected), tokensOf(actual), isSameToken);
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const WHOLE = /^[+-]?\d+$/;

function isSameToken(expected: string, actual: string): boolean {
  if (expected === actual) return true;
  if (!NUMBER.test(expected) || !NUMBER.test(actual)) return false;
  if (WHOLE.test(expected) && WHOLE.test(actual)) return toPlainWhole(expected) === toPlainWhole(actual);
  return isClose(Number(expected), Number(actual));
}

/** +007 is 7. As text, because a number of millions of digits takes minutes to read. */
function toPlainWhole(whole: string): string {
  const [, sign = "", digits = ""] = /^([+-]?)0*(\d+)$/.exec(whole) ?? [];
  return sign === "-" && digits !== "0" ? `-${digits}` : digits;
}

function isClose(expected: number, actual: number): boolean {
  return expected === actual || Math.abs(expected - actual) <= TOLERANCE * Math.max(1, Math.abs(expected));
}

/** Equal as JSON, numbers with a fraction within the tolerance, long integers exactly. */
export function isSameJson(expected: string, actual: string): boolean {
  let left: unknown;
  let right: unknown;
  try {
    left = JSON.parse(keepLongIntegers(expected));
    right = JSON.parse(keepLongIntegers(actual));
  } catch {
    return expected.trim() === actual.trim();
  }
  return isSameValue(left, right);
}

/** Integers that a number cannot hold become texts that no other value can be. */
function keepLongIntegers(json: string): string {
  // A string that does not end is taken to the end of the text, or every quote in it would be tried again.
  return json.replace(/"[^"\\]*(?:\\.[^"\\]*)*(?:"|$)|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    WHOLE.test(token) && token.length > EXACT_DIGITS ? `{"whole number":"${token}"}` : token,
  );
}

function isSameValue(expected: unknown, actual: unknown): boolean {
  if (typeof expected === "number" && typeof actual === "number") {
    const isWhole = Number.isInteger(expected) && Number.isInteger(actual);
    return isWhole ? expected === actual : isClose(expected, actual);
  }
  if (typeof expected !== "object" || typeof actual !== "object" || expected === null || actual === null) {
    return expected === actual;
  }
  if (Array.isArray(expected) !== Array.isArray(actual)) return false;
  const keys = Object.keys(expected);
  return (
    keys.length === Object.keys(actual).length &&
    keys.every(
      (key) =>
        Object.hasOwn(actual, key) && isSameValue(Reflect.get(expected, key), Reflect.get(actual, key)),
    )
  );
}
