// Whether what a program gave is what was expected. Done out here and never in the sandbox: a program can
// bend every comparison that happens in its own world.

const TOLERANCE = 1e-6;
/** Whole numbers up to here are exact in JavaScript. */
const EXACT_DIGITS = 15;

/** Line by line and token by token. Space around lines and empty lines at the end do not count. */
export function isSameOutput(expected: string, actual: string): boolean {
  const left = toLines(expected);
  const right = toLines(actual);
  return left.length === right.length && left.every((line, i) => isSameLine(line, right[i] as string));
}

function toLines(text: string): string[] {
  return text
    .trimEnd()
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim());
}

function isSameLine(expected: string, actual: string): boolean {
  if (expected === actual) return true;
  const left = expected.split(/\s+/);
  const right = actual.split(/\s+/);
  return left.length === right.length && left.every((token, i) => isSameToken(token, right[i] as string));
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const WHOLE = /^[+-]?\d+$/;

function isSameToken(expected: string, actual: string): boolean {
  if (expected === actual) return true;
  if (!NUMBER.test(expected) || !NUMBER.test(actual)) return false;
  if (WHOLE.test(expected) && WHOLE.test(actual)) return BigInt(strip(expected)) === BigInt(strip(actual));
  return isClose(Number(expected), Number(actual));
}

const strip = (whole: string) => whole.replace(/^\+/, "");

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
  return json.replace(/"(?:\\.|[^"\\])*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
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
