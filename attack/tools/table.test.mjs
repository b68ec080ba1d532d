// The table of the docs is written by the attacks: only between its marks, and a part of them keeps the others' rows.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { toDocs } from "./table.mjs";

const result = (name, more = {}) => ({
  name,
  what: `w | ${name}`,
  tries: 1_000,
  ok: true,
  result: "nothing",
  ...more,
});
const page = () => readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");
/** The same page before anything was attacked. */
const emptyPage = () => {
  const text = page();
  const [from, to] = [text.indexOf("-->") + 3, text.indexOf("<!-- attack: end")];
  return `${text.slice(0, from)}\n\n${text.slice(to)}`;
};

it("stands between its marks, and what is around them stays", () => {
  const written = toDocs(emptyPage(), [result("kills")]);
  expect(written).toContain("| kills  | w \\| kills | 1,000 | held    | nothing |");
  const around = (text) => [text.split("<!-- attack: begin")[0], text.split("<!-- attack: end")[1]];
  expect(around(written)).toEqual(around(page()));
});

it("keeps the rows of attacks that were not run, and says what broke", () => {
  const first = toDocs(emptyPage(), [result("kills"), result("block/names")]);
  const second = toDocs(first, [result("kills", { ok: false, result: "lost" })]);
  expect(second).toMatch(/^\| kills +\| w \\\| kills +\| 1,000 \| \*\*broken\*\* \| lost +\|$/m);
  expect(second).toMatch(/^\| block\/names +\| w \\\| block\/names +\| 1,000 \| held +\| nothing \|$/m);
  expect(second.match(/^\| kills +\|/gm)).toHaveLength(1);
});

it("is refused where the page has no marks", () => {
  expect(() => toDocs("# Security\n", [result("kills")])).toThrow("has no");
});
