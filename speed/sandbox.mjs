// How many small programs a second go through the sandbox, beside a plain spawn of the same interpreter
// without one, in turns and with as many at a time as there are cores. Bubblewrap must work here.
// Run: npm run build && node speed/sandbox.mjs
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { gradeCode } from "../dist/task/code/grade-code.js";
import { findInterpreters } from "../dist/task/sandbox/interpreter.js";
import { chooseSandbox, describeMissing, runProgram } from "../dist/task/sandbox/sandbox.js";

const PROGRAMS = 40;
const TURNS = 3;
const width = availableParallelism();
const python = "a, b = map(int, input().split())\nprint(a + b)";
const javascript =
  'const [a, b] = require("fs").readFileSync(0, "utf8").split(" ").map(Number); console.log(a + b)';
const sum = (language, tests) => ({
  ...{ id: "sum", set: "speed", category: "code", subtask: "sum", prompt: "", answer: "", grader: "code" },
  tests: { language, style: "stdin", cases: [{ input: "20 22", output: "42" }], ...tests },
});

for (const language of ["python", "javascript"]) {
  const sandbox = await chooseSandbox(language);
  if (typeof sandbox === "object") {
    console.error(describeMissing(language, sandbox));
    process.exit(1);
  }
  const source = language === "python" ? python : javascript;
  const [{ path }] = await findInterpreters(language);
  const args = language === "python" ? ["-I", "-S", "-B", "-c", source] : ["-e", source];
  const answer = `\`\`\`${language}\n${source}\n\`\`\``;
  const checked = `\`\`\`${language}\n${language === "python" ? "def add(a, b): return a + b" : "const add = (a, b) => a + b"}\n\`\`\``;
  const check =
    language === "python" ? "assert add(20, 22) == 42" : 'require("assert").equal(add(20, 22), 42)';
  const isRight = async (grade) => (await grade).score === 1;
  const ways = {
    "plain spawn": () => plain(path, args).then((output) => output.trim() === "42"),
    runProgram: () =>
      runProgram({ language, source, stdin: "20 22", flags: ["-S"] }).then(
        (run) => run.stdout.trim() === "42",
      ),
    "gradeCode, one case": () => isRight(gradeCode(sum(language), answer)),
    "gradeCode, ten cases": () =>
      isRight(gradeCode(sum(language, { cases: Array(10).fill({ input: "20 22", output: "42" }) }), answer)),
    "gradeCode, a check": () =>
      isRight(gradeCode(sum(language, { cases: [], check, entry: "add" }), checked)),
    ...(language === "javascript" && {
      "gradeCode in QuickJS": () =>
        isRight(gradeCode(sum(language), answer, undefined, { engine: "quickjs" })),
    }),
  };
  const rates = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [name, way] of Object.entries(ways))
      rates[name].push(await rate(way, name.includes("ten") ? PROGRAMS / 4 : PROGRAMS));
  }
  const base = median(rates["plain spawn"]);
  console.log(`${language}: ${path}, ${width} at a time`);
  for (const [name, values] of Object.entries(rates)) {
    const value = median(values);
    console.log(
      `  ${name.padEnd(22)} ${value.toFixed(0).padStart(4)} programs/s   time of a plain spawn × ${(base / value).toFixed(2)}`,
    );
  }
}

function plain(path, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { env: {} });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.on("error", reject);
    child.on("close", () => resolve(output));
    child.stdin.end("20 22");
  });
}

async function rate(work, count) {
  const started = performance.now();
  let left = count;
  const lane = async () => {
    while (left-- > 0) if (!(await work())) throw new Error("A program gave a wrong result");
  };
  await Promise.all(Array.from({ length: width }, lane));
  return (count * 1000) / (performance.now() - started);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
