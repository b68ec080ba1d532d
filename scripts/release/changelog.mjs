// What a release does to CHANGELOG.md: the heading "Unreleased" becomes the version and its date. Pure.

const UNRELEASED = /^## Unreleased *$/m;

/** The released changelog and the notes of this version, or a problem in words. */
export function toReleased(text, version, date) {
  const heading = UNRELEASED.exec(text);
  if (!heading) return { problem: 'CHANGELOG.md has no heading "## Unreleased".' };
  if (new RegExp(`^## ${version.replaceAll(".", "\\.")}(?: |$)`, "m").test(text))
    return { problem: `CHANGELOG.md has a heading for ${version} already.` };
  const before = text.slice(0, heading.index);
  const after = text.slice(heading.index + heading[0].length);
  const end = after.search(/^## /m);
  const notes = (end === -1 ? after : after.slice(0, end)).trim();
  if (notes === "") return { problem: 'CHANGELOG.md says nothing under "## Unreleased".' };
  return { text: `${before}## Unreleased\n\n## ${version} (${date})${after}`, notes };
}
