import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readInput } from "./read-input.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tutti-input-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
async function* piped(...chunks: string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

describe("readInput", () => {
  it("takes the words of the command line", async () => {
    expect(await readInput({ words: ["What", "is 2+2?"], files: [] })).toEqual({
      role: "user",
      content: "What is 2+2?",
    });
  });

  it("takes standard input as the question, or puts it after a given one", async () => {
    expect(await readInput({ words: [], files: [], stdin: piped("a ", "b\n") })).toMatchObject({
      content: "a b",
    });
    const both = await readInput({ words: ["Sum up:"], files: [], stdin: piped("long text\n") });
    expect(both.content).toBe("Sum up:\n\nlong text");
  });

  it("quotes a text file under its name, with a fence that the text cannot close", async () => {
    const path = file("notes.md", "one\n```\ntwo\n");
    const { content } = await readInput({ words: ["Explain"], files: [path] });
    expect(content).toBe('Explain\n\nFile "notes.md":\n````\none\n```\ntwo\n````');
  });

  it("sends an image as an image", async () => {
    const path = file("dot.PNG", Buffer.from([137, 80, 78, 71]));
    expect((await readInput({ words: ["What is this?"], files: [path] })).content).toEqual([
      { type: "text", text: "What is this?" },
      { type: "image", image: "data:image/png;base64,iVBORw==", mediaType: "image/png" },
    ]);
  });

  it.each([
    ["nothing", () => ({ words: ["  "], files: [] }), /there is no question/],
    [
      "a missing file",
      () => ({ words: ["a"], files: [join(folder, "none")] }),
      /cannot read ".*none": there is no such file/,
    ],
    ["a folder", () => ({ words: ["a"], files: [folder] }), /it is a folder/],
    [
      "a binary file",
      () => ({ words: ["a"], files: [file("x.bin", Buffer.from([255, 0]))] }),
      /not text in UTF-8/,
    ],
    [
      "a large file",
      () => ({ words: ["a"], files: [file("big.txt", "x".repeat(1_048_576))] }),
      /1 MB at the most/,
    ],
  ])("refuses %s", async (_name, input, message) => {
    await expect(readInput(input())).rejects.toThrow(message);
  });

  it("refuses a huge standard input before it has read it all", async () => {
    let read = 0;
    async function* endless() {
      for (;;) {
        read += 65_536;
        yield Buffer.alloc(65_536, 97);
      }
    }
    await expect(readInput({ words: [], files: [], stdin: endless() })).rejects.toThrow(/1 MB at the most/);
    expect(read).toBeLessThanOrEqual(1_048_576 + 65_536);
  });
});
