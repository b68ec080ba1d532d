// What the guides show of the library compiles against the library as it is.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What a snippet takes for granted: the Tutti of the snippet before it, and functions of the reader's own. */
const GIVEN = `import type { Tutti, WorkerRequest } from "tutti";
declare global {
  const tutti: Tutti;
  function search(messages: WorkerRequest["messages"], signal: AbortSignal): Promise<string>;
  function record(...values: unknown[]): void;
}
`;
const CONFIG = {
  extends: "../tsconfig.json",
  compilerOptions: {
    ...{ rootDir: "..", skipLibCheck: true, rewriteRelativeImportExtensions: false },
    paths: { tutti: ["../src/index.ts"], "tutti/gateway": ["../src/gateway/server.ts"] },
  },
  include: ["*.ts"],
};

function readSnippets(page: string): [name: string, code: string][] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(({ 1: code = "", index }) => {
    const line = text.slice(0, index).split("\n").length;
    return [`${page.replaceAll(/\W/g, "-")}-line-${line}.ts`, `${code}export {};\n`];
  });
}

/** What tsc says of them, which is nothing where all is well. Inside the project, where their imports are found. */
function compile(snippets: [name: string, code: string][]): string {
  const folder = mkdtempSync(join(ROOT, "dist.snippets-"));
  try {
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(CONFIG));
    for (const [name, code] of [["given.d.ts", GIVEN], ...snippets])
      writeFileSync(join(folder, name!), code!);
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    return spawnSync(tsc, ["-p", folder], { cwd: folder, encoding: "utf8" }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it("every TypeScript snippet of README and docs compiles", () => {
  const pages = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
  const snippets = ["README.md", ...pages.map((name) => `docs/${name}`)].flatMap(readSnippets);
  expect(snippets.filter(([name]) => name.startsWith("docs-library")).length).toBeGreaterThan(3);
  expect(compile(snippets)).toBe("");
}, 120_000);

it("a snippet that does not fit the library is noticed", () => {
  expect(compile([["wrong.ts", 'await tutti.ask("hi", { budget: 1 });\nexport {};\n']])).toMatch(
    /wrong\.ts\(1,\d+\): error/,
  );
}, 120_000);
