// What a reader would see of a page, roughly: without scripts, styles and marks. A page is a stranger's, so it is read
// once from its beginning to its end: patterns that look for an end which is not there take the square of its length.

const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  mdash: "—",
  ndash: "–",
  hellip: "…",
};
const UNSEEN = new Set(["script", "style", "noscript", "template", "svg", "head"]);
const BLOCKS = new Set(
  "p div section article header footer main ul ol table tr h1 h2 h3 h4 h5 h6 blockquote pre br hr dl dt dd figure".split(
    " ",
  ),
);
const COMMENT_END = "-->";
const TAG_NAME = /^<(\/?)([a-z][a-z0-9]{0,20})?/;

export function toPlainText(html: string): string {
  return stripTags(html)
    .replace(/&(#x?[\da-f]{1,8}|\w{1,32});/gi, (whole, name: string) => toCharacter(name) ?? whole)
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function stripTags(html: string): string {
  // Of the same length, unlike that of `toLowerCase`.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const pieces: string[] = [];
  /** Names of elements that have no end from here on: they are looked for once. */
  const endless = new Set<string>();
  for (let at = 0; at < html.length; ) {
    const open = lower.indexOf("<", at);
    if (open < 0) return pieces.join("") + html.slice(at);
    pieces.push(html.slice(at, open));
    if (lower.startsWith("<!--", open)) {
      const end = lower.indexOf(COMMENT_END, open + 4);
      if (end < 0) break;
      at = end + COMMENT_END.length;
      continue;
    }
    const [, slash, name = ""] = TAG_NAME.exec(lower.slice(open, open + 24)) ?? [];
    if (name === "" && !/^<[/!?]/.test(lower.slice(open, open + 2))) {
      pieces.push("<");
      at = open + 1;
      continue;
    }
    const close = lower.indexOf(">", open);
    if (close < 0) break;
    at = close + 1;
    if (slash === "" && UNSEEN.has(name) && !endless.has(name)) {
      const end = findEnd(lower, name, at);
      if (end === undefined) endless.add(name);
      else at = end;
      pieces.push(" ");
      continue;
    }
    pieces.push(toMark(name, slash === "/"));
  }
  return pieces.join("");
}

/** Behind the end of this element. */
function findEnd(lower: string, name: string, from: number): number | undefined {
  const mark = `</${name}`;
  for (let at = lower.indexOf(mark, from); at >= 0; at = lower.indexOf(mark, at + mark.length)) {
    if (/[a-z0-9-]/.test(lower[at + mark.length] ?? "")) continue;
    const close = lower.indexOf(">", at);
    return close < 0 ? undefined : close + 1;
  }
  return undefined;
}

/** What stands in the place of a tag. */
function toMark(name: string, isEnd: boolean): string {
  if (name === "li") return isEnd ? "" : "\n- ";
  if (isEnd && (name === "td" || name === "th")) return " | ";
  return BLOCKS.has(name) ? "\n" : "";
}

function toCharacter(name: string): string | undefined {
  const word = name.toLowerCase();
  if (!word.startsWith("#")) return Object.hasOwn(ENTITIES, word) ? ENTITIES[word] : undefined;
  const code = word.startsWith("#x")
    ? Number.parseInt(word.slice(2), 16)
    : Number.parseInt(word.slice(1), 10);
  return code > 31 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
