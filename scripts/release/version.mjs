// Versions as npm reads them: three numbers and an optional pre-release such as -beta.1. Pure.

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([a-z]+)\.(0|[1-9]\d*))?$/;

/** The parts of a version, or undefined where it is none. */
export function parseVersion(text) {
  const match = VERSION.exec(text ?? "");
  if (!match) return undefined;
  const [major, minor, patch] = match.slice(1, 4).map(Number);
  return { numbers: [major, minor, patch], label: match[4], count: Number(match[5] ?? 0) };
}

/** Whether `a` comes after `b`. A pre-release comes before its release. */
export function isNewer(a, b) {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  const index = left.numbers.findIndex((number, at) => number !== right.numbers[at]);
  if (index !== -1) return left.numbers[index] > right.numbers[index];
  if (left.label === right.label) return left.count > right.count;
  if (!left.label || !right.label) return !left.label;
  return left.label > right.label;
}

/** A manifest's text with another version; nothing else of the text changes, so its format stays. */
export function withVersion(text, name, from, to) {
  const own = `"name": "${name}",\n`;
  const parts = text.split(own);
  if (parts.length < 2) throw new Error(`There is no "name": "${name}" in the manifest.`);
  const [head, ...rest] = parts;
  const set = (part) => {
    const field = new RegExp(`^(\\s*)"version": "${from.replaceAll(".", "\\.")}"`);
    if (!field.test(part)) throw new Error(`The version beside "name": "${name}" is not ${from}.`);
    return part.replace(field, `$1"version": "${to}"`);
  };
  return [head, ...rest.map(set)].join(own);
}
