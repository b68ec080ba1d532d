// The table attack × tries × result, for a terminal and for docs/security.md. Pure.
const BEGIN = "<!-- attack: begin (written by npm run attack -- --write-docs) -->";
const END = "<!-- attack: end -->";

export function toLines(results) {
  const width = Math.max(...results.map(({ name }) => name.length), 6);
  return [
    `${"ATTACK".padEnd(width)}   TRIES  OK    SECONDS  RESULT`,
    ...results.map(
      ({ name, tries, ok, seconds, result }) =>
        `${name.padEnd(width)}  ${String(tries).padStart(6)}  ${ok ? "ok  " : "FAIL"}  ${String(seconds).padStart(7)}  ${String(result).replace(/\s+/g, " ")}`,
    ),
  ];
}

/** The page with the table between its two marks. A part of the attacks replaces only its own rows. */
export function toDocs(page, results) {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error(`The page has no "${BEGIN}" … "${END}".`);
  const toCell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ").trim();
  const toRow = ({ name, what, tries, ok, result }) =>
    [name, what, tries.toLocaleString("en-US"), ok ? "held" : "**broken**", result].map(toCell);
  const earlier = page
    .slice(from + BEGIN.length, to)
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
    .filter(([name]) => name !== HEAD[0] && !/^-+$/.test(name));
  const rows = new Map([...earlier, ...results.map(toRow)].map((cells) => [cells[0], cells]));
  return `${page.slice(0, from)}${BEGIN}\n\n${toTable([...rows.values()])}\n\n${page.slice(to)}`;
}

const HEAD = ["attack", "tries to", "tries", "verdict", "result"];

/** With columns of one width, as the formatter wants them. */
function toTable(rows) {
  const widths = HEAD.map((_, at) => Math.max(3, ...[HEAD, ...rows].map((cells) => cells[at].length)));
  const toLine = (cells) => `| ${cells.map((cell, at) => cell.padEnd(widths[at])).join(" | ")} |`;
  return [toLine(HEAD), toLine(widths.map((width) => "-".repeat(width))), ...rows.map(toLine)].join("\n");
}
