// Which licences may be shipped with ours (Apache-2.0). Whatever is not on the list is for a person to decide. Pure.

const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Unlicense",
]);

/** An SPDX expression with OR and AND, without nested brackets: of an OR one part is enough. */
export function isAllowedLicence(expression) {
  if (typeof expression !== "string" || expression.trim() === "") return false;
  const text = expression.trim().replace(/^\((.*)\)$/, "$1");
  if (/[()]/.test(text)) return false;
  return text.split(/\s+OR\s+/).some((part) => part.split(/\s+AND\s+/).every((name) => ALLOWED.has(name)));
}

/** One line for each package whose licence is not on the list. */
export function problemsOfLicences(packages) {
  return packages
    .filter(({ licence }) => !isAllowedLicence(licence))
    .map(({ ref, licence }) => `${ref}: the licence ${JSON.stringify(licence ?? null)} is not on the list`);
}

export function toLicenceList(packages) {
  const width = Math.max(...packages.map(({ ref }) => ref.length));
  const lines = packages.map(({ ref, licence, isInstalled }) =>
    `${ref.padEnd(width)}  ${licence}${isInstalled ? "" : "  (inside the dashboard)"}`.trimEnd(),
  );
  return `Packages of others that come with tutti, and their licences.\n\n${lines.join("\n")}\n`;
}
