// A chat stream that was made to say what it took, for a client that did not ask for that: the event that says it has no
// choices, and code that reads `choices[0]` of every event would break on it.

const LINE_FEED = 0x0a;
const USAGE = Buffer.from('"usage"');

/** `lines` are whole lines. The empty line behind the event stays: it ends nothing and says nothing. */
export function withoutUsageEvent(lines: Buffer): Buffer {
  if (!lines.includes(USAGE)) return lines;
  const kept: Buffer[] = [];
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(LINE_FEED, start);
    const next = end < 0 ? lines.length : end + 1;
    const line = lines.subarray(start, next);
    if (!isUsageEvent(line)) kept.push(line);
    start = next;
  }
  return Buffer.concat(kept);
}

/** Inside a text every quote would have a backslash before it. */
function isUsageEvent(line: Buffer): boolean {
  if (!line.includes(USAGE)) return false;
  const text = line.toString("utf8");
  return /^data:/.test(text) && /"usage"\s*:\s*\{/.test(text) && /"choices"\s*:\s*\[\s*\]/.test(text);
}
