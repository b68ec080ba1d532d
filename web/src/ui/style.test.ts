import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PAGE_STYLE, SHARED_STYLE } from "../../../src/report/style.ts";

const root = join(import.meta.dirname, "..");
const files = readdirSync(root, { recursive: true, encoding: "utf8" });
const read = (ending: RegExp) =>
  files.filter((file) => ending.test(file)).map((file) => readFileSync(join(root, file), "utf8"));
const sheets = read(/\.css$/).join("\n");
const names = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].map(([, name]) => name!)),
];

it("every variable that a style, a page or a drawing names is defined", () => {
  const defined = names(sheets + PAGE_STYLE, /(--[\w-]+):/g);
  const used = names([sheets, PAGE_STYLE, ...read(/\.tsx$/)].join("\n"), /var\((--[\w-]+)/g);
  expect(used.length).toBeGreaterThan(15);
  expect(used.filter((name) => !defined.includes(name))).toEqual([]);
});

it("colours for light and dark are in the shared style alone: Vite would rewrite them in a sheet, and break them", () => {
  expect(sheets).not.toContain("light-dark(");
  expect(SHARED_STYLE).toContain("color-scheme: light dark");
});

it("every class of a sheet is used somewhere", () => {
  const code = read(/\.tsx?$/).join("\n");
  const selectors = sheets.replaceAll(/\/\*.*?\*\//gs, "").replaceAll(/\{[^{}]*\}/g, "");
  const classes = names(selectors, /\.([a-z][\w-]*)/g).filter((name) => !name.startsWith("react-flow__"));
  expect(classes.filter((name) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(code))).toEqual([]);
});
