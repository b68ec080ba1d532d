// A terminal as a picture for the docs: text with colours → SVG, or PNG where the name of the output says so (needs a
// browser). The text comes from a real command, by `script -qec COMMAND /dev/null` or `tmux capture-pane -ep`:
//   node scripts/terminal-picture.mjs captured.ansi docs/images/chat.png --columns 100 --title "tutti chat"
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { readScreen } from "./terminal/screen.mjs";

const [CELL, LINE, SIZE, PADDING, BAR] = [8.4, 20, 14, 18, 36];
const INK = "#d6dae0";
const PAPER = "#15181d";
const COLOURS = {
  30: "#4a515c",
  31: "#ff7b72",
  32: "#7ee787",
  33: "#e3b341",
  34: "#79b8ff",
  35: "#d2a8ff",
  36: "#56d4dd",
  37: INK,
  90: "#8b949e",
  91: "#ffa198",
  92: "#a5f0ad",
  93: "#f2cc60",
  94: "#a5d6ff",
  95: "#e2c5ff",
  96: "#8be9f0",
  97: "#ffffff",
};

/** `lastRows`: only the end of what was captured, as a person would see it without scrolling. */
export function toTerminalSvg(ansi, { columns = 100, title = "", lastRows } = {}) {
  const all = readScreen(ansi, columns);
  const rows = lastRows === undefined ? all : all.slice(-lastRows);
  const width = Math.ceil(columns * CELL + 2 * PADDING);
  const height = BAR + rows.length * LINE + PADDING;
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, at) => `<circle cx="${20 + at * 20}" cy="18" r="6" fill="${fill}"/>`,
  );
  const lines = rows.flatMap((cells, row) =>
    toRuns(cells).map((run) => toText(run, BAR + row * LINE + SIZE + 1)),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="${SIZE}" role="img" aria-label="${toEntities(title || "A terminal")}">`,
    `<rect width="${width}" height="${height}" rx="10" fill="${PAPER}"/>`,
    ...dots,
    `<text x="${width / 2}" y="23" text-anchor="middle" fill="#8b949e" font-size="13">${toEntities(title)}</text>`,
    ...lines,
    "</svg>",
    "",
  ].join("\n");
}

/** Neighbours of one style, with the column they begin at. */
function toRuns(cells) {
  const runs = [];
  for (const [column, { text, style }] of cells.entries()) {
    const key = JSON.stringify(style);
    const last = runs.at(-1);
    if (last?.key === key) {
      last.text += text;
      last.cells += 1;
    } else runs.push({ column, text, style, key, cells: 1 });
  }
  return runs.filter(({ text, style }) => text.trim() !== "" || style.isInverse || style.background);
}

function toText({ column, text, style, cells }, y) {
  const ink = COLOURS[style.colour] ?? INK;
  const paper = COLOURS[style.background];
  const [fill, behind] = style.isInverse ? [paper ?? PAPER, ink] : [ink, paper];
  const x = PADDING + column * CELL;
  const attributes = [
    `x="${x.toFixed(1)}" y="${y}" fill="${fill}" xml:space="preserve"`,
    // Every column stays under its column, whatever font the reader has.
    `textLength="${(cells * CELL).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`,
    ...(style.isBold ? ['font-weight="700"'] : []),
    ...(style.isDim ? ['fill-opacity="0.6"'] : []),
    ...(style.isItalic ? ['font-style="italic"'] : []),
    ...(style.isUnderlined ? ['text-decoration="underline"'] : []),
    ...(style.isStruck ? ['text-decoration="line-through"'] : []),
  ];
  const rectangle = behind
    ? `<rect x="${x.toFixed(1)}" y="${y - SIZE}" width="${(cells * CELL).toFixed(1)}" height="${LINE}" fill="${behind}"/>`
    : "";
  return `${rectangle}<text ${attributes.join(" ")}>${toEntities(text)}</text>`;
}

function toEntities(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Finer than the SVG says, for screens that show it so. */
export async function toPng(svg) {
  const [{ chromium }, { createJiti }] = await Promise.all([import("playwright-core"), import("jiti")]);
  const { serve, browserPath, noBrowser } = await createJiti(import.meta.url).import("../web/e2e/browser.ts");
  if (browserPath === undefined) throw new Error(noBrowser);
  const server = await serve();
  const browser = await chromium.connect(server.wsEndpoint());
  try {
    const page = await browser.newPage({ deviceScaleFactor: 1.5 });
    await page.setContent(`<body style="margin:0;background:transparent">${svg}</body>`);
    return await page.locator("svg").screenshot({ omitBackground: true });
  } finally {
    await browser.close();
    await server.close();
  }
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      columns: { type: "string", default: "100" },
      title: { type: "string" },
      "last-rows": { type: "string" },
    },
  });
  const [input, output] = positionals;
  if (input === undefined || output === undefined) {
    console.error(
      'Usage: node scripts/terminal-picture.mjs CAPTURED OUTPUT.svg|OUTPUT.png [--columns 100] [--title TEXT] [--last-rows N]\nExample: script -qec "tutti pool" /dev/null > pool.ansi; node scripts/terminal-picture.mjs pool.ansi pool.png',
    );
    process.exit(2);
  }
  const svg = toTerminalSvg(readFileSync(input, "utf8"), {
    columns: Number(values.columns),
    title: values.title,
    lastRows: values["last-rows"] === undefined ? undefined : Number(values["last-rows"]),
  });
  writeFileSync(output, output.endsWith(".png") ? await toPng(svg) : svg);
}
