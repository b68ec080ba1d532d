// Tables of test cases as text, one a line, where hundreds of short texts with backslashes and quotes
// would drown in syntax. "⏎" is a line break.

/** The pairs on both sides of the separator. */
export function toCases(lines: string, separator: string): [string, string][] {
  const cases = lines.split("\n").filter((line) => line.includes(separator));
  return cases.map((line) => {
    const at = line.indexOf(separator);
    return [line.slice(0, at), line.slice(at + separator.length).replaceAll("⏎", "\n")];
  });
}
