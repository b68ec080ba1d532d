import { expect, it } from "vitest";
import { toTerminalSvg } from "../terminal-picture.mjs";
import { readScreen } from "./screen.mjs";

const linesOf = (text, columns = 20) =>
  readScreen(text, columns).map((cells) => cells.map(({ text }) => text).join(""));

it("shows what is left after lines were drawn again", () => {
  expect(linesOf("one\ntwo\n\r\x1b[1A\x1b[Jthree\n")).toEqual(["one", "three"]);
  expect(linesOf("abc\x1b[2Gx\x1b[K")).toEqual(["ax"]);
  expect(linesOf("tutti> \x1b[1G\x1b[0Jtutti> hi\x1b[11G")).toEqual(["tutti> hi"]);
});

it("breaks lines at the width, and counts wide characters twice", () => {
  expect(linesOf("abcdef", 4)).toEqual(["abcd", "ef"]);
  expect(linesOf("日本語", 5)).toEqual(["日本", "語"]);
});

it("takes out what it does not know", () => {
  expect(linesOf("\x1b[?2004h\x1b]0;title\x07text\x1b[38;5;31m more")).toEqual(["text more"]);
});

it("draws colours, and text that looks like markup as text", () => {
  const svg = toTerminalSvg("\x1b[31m<b>\x1b[39m & \x1b[2mdim", { columns: 10, title: "a <title>" });
  expect(svg).toContain('fill="#ff7b72"');
  expect(svg).toContain(">&#60;b&#62;</text>");
  expect(svg).toContain("a &#60;title&#62;");
  expect(svg).not.toMatch(/<b>|<title>/);
});
