// The program in an answer: models put it into fenced blocks, between explanations, sometimes several.
import type { ProgramLanguage } from "../sandbox/types.ts";

const NAMES: Record<ProgramLanguage, string[]> = {
  python: ["python", "py", "python3"],
  javascript: ["javascript", "js", "node", "mjs", "cjs", "jsx"],
};

const FIRST_LINE: Record<ProgramLanguage, RegExp> = {
  python:
    /^(?:#|@|def |class |async def |import |from \S+ import|print\(|for .+:|while .+:|if .+:|try:|with .+:|[\w.,[\] ]+\s*[-+*/]?= ?\S)/,
  javascript:
    /^(?:\/\/|\/\*|"use strict"|'use strict'|const |let |var |function|async |class |import |console\.|process\.|require\(|module\.|for ?\(|\(|[\w.]+ = )/,
};

/** How much of the first line tells whether it is code: the patterns take the square of its length. */
const CONSIDERED = 300;

/** The last block in the right language, else the last block, else the whole text where it begins like code. */
export function extractCode(answer: string, language: ProgramLanguage): string | undefined {
  const blocks = findBlocks(answer);
  const found = blocks.findLast((block) => NAMES[language].includes(block.name)) ?? blocks.at(-1);
  if (found) return found.text;
  const firstLine = answer.trim().slice(0, CONSIDERED).split("\n", 1)[0] ?? "";
  return FIRST_LINE[language].test(firstLine) ? answer : undefined;
}

function findBlocks(answer: string): { name: string; text: string }[] {
  const blocks: { name: string; lines: string[]; fence: string }[] = [];
  let isOpen = false;
  for (const line of answer.split(/\r\n|\n/)) {
    const block = blocks.at(-1);
    const [, fence = "", name = ""] = /^\s*(`{3,}|~{3,})\s*([\w+-]*)/.exec(line) ?? [];
    if (isOpen && block) {
      // A block ends only with its own kind of fence, so that a program may hold shorter ones.
      if (fence.startsWith(block.fence) && name === "") isOpen = false;
      else block.lines.push(line);
    } else if (fence !== "") {
      blocks.push({ name: name.toLowerCase(), lines: [], fence });
      isOpen = true;
    }
  }
  return blocks
    .map(({ name, lines }) => ({ name, text: lines.join("\n") }))
    .filter(({ text }) => text.trim() !== "");
}

// What the published harnesses import before every answer. Here only where it is used, since imports take time.
const USUAL: Record<string, string[]> = {
  typing: ["List", "Dict", "Optional", "Tuple", "Set", "Any", "Union", "Callable", "Iterable", "Iterator"],
  collections: ["deque", "defaultdict", "Counter", "OrderedDict"],
  heapq: ["heappush", "heappop", "heapify", "heapreplace", "heappushpop", "nlargest", "nsmallest"],
  bisect: ["bisect", "bisect_left", "bisect_right", "insort"],
  functools: ["lru_cache", "cache", "reduce", "cmp_to_key"],
  itertools: ["accumulate", "combinations", "permutations", "product", "groupby", "chain", "pairwise"],
  math: ["inf", "gcd", "sqrt", "ceil", "floor", "comb", "isqrt", "lcm"],
};
const MODULES = "sys re math string random heapq bisect functools itertools collections".split(" ");

/** Python imports that a program relies on without writing them. */
export function toUsualImports(source: string): string {
  const words = new Set(source.match(/[A-Za-z_]\w*/g));
  const lines = MODULES.filter((name) => words.has(name) && source.includes(`${name}.`)).map(
    (name) => `import ${name}`,
  );
  for (const [module, names] of Object.entries(USUAL)) {
    const used = names.filter((name) => words.has(name));
    if (used.length > 0 && !words.has(module)) lines.push(`from ${module} import ${used.join(", ")}`);
  }
  return lines.join("\n");
}
