import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startCpuClock } from "../../testing/cpu-clock.ts";
import { extractCode, toUsualImports } from "./extract.ts";

describe("extractCode", () => {
  const cases: [name: string, answer: string, code: string | undefined][] = [
    ["a block in the language", "x\n```python\nprint(1)\n```\ny", "print(1)"],
    ["the last block in the language", "```py\na = 1\n```\n```python\nb = 2\n```\n```text\nc\n```", "b = 2"],
    ["the last block of any kind", "```\na = 1\n```\n```\nb = 2\n```", "b = 2"],
    ["a block that is not closed", "```python\nprint(1)\nprint(2)", "print(1)\nprint(2)"],
    ["a name in capitals, tildes, and space before the fence", "  ~~~ Python\nprint(1)\n  ~~~", "print(1)"],
    ["a longer fence that holds a shorter one", "````python\ns = '''\n```\n'''\n````", "s = '''\n```\n'''"],
    ["line ends of Windows", "```python\r\nprint(1)\r\n```\r\n", "print(1)"],
    ["an empty block after the program", "```python\nprint(1)\n```\n```python\n```", "print(1)"],
    ["bare code", "import sys\nprint(1)", "import sys\nprint(1)"],
    ["bare code that begins with a function", "def f(x):\n    return x", "def f(x):\n    return x"],
    ["prose", "I think the answer is 3.", undefined],
    ["nothing", "", undefined],
  ];
  it.each(cases)("takes %s", (_, answer, code) => {
    expect(extractCode(answer, "python")).toBe(code);
  });

  it("keeps the languages apart", () => {
    const both = "```python\nprint(1)\n```\n```js\nconsole.log(1)\n```";
    expect(extractCode(both, "python")).toBe("print(1)");
    expect(extractCode(both, "javascript")).toBe("console.log(1)");
  });

  it("gives back any block without a fence in it", () => {
    const line = fc.string().filter((text) => !/[`~\r\n]/.test(text));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), (lines) => {
        const code = lines.join("\n");
        fc.pre(code.trim() !== "");
        expect(extractCode(`Here:\n\`\`\`python\n${code}\n\`\`\`\nDone.`, "python")).toBe(code);
      }),
      { seed: 7 },
    );
  });

  it("takes linear time on hostile text", () => {
    const cpuMs = startCpuClock();
    extractCode("``` ".repeat(200_000) + "\n```".repeat(100_000), "python");
    expect(cpuMs()).toBeLessThan(2_000);
  });
});

describe("toUsualImports", () => {
  it("adds what is used and not imported, and nothing else", () => {
    expect(toUsualImports("def f(x: List[int]): return deque(x)")).toBe(
      "from typing import List\nfrom collections import deque",
    );
    expect(toUsualImports("from collections import deque\nx = deque()")).toBe("");
    expect(toUsualImports("print(sys.argv)")).toBe("import sys");
    expect(toUsualImports("print(1)")).toBe("");
  });
});
