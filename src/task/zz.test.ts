import { test } from "vitest";
import { runProgram } from "./sandbox.ts";
import { findBubblewrap } from "./sandbox-bubblewrap.ts";
import { gradeCode } from "./grade-code.ts";
import { findInterpreters } from "./sandbox-interpreter.ts";
test("x", async () => {
  console.log(await findInterpreters("python"), await findInterpreters("javascript"));
  console.log(await findBubblewrap("python"), await findBubblewrap("javascript"));
  console.log(await runProgram({ language: "python", source: "import os,sys\nprint(sys.version, os.getuid(), dict(os.environ), os.listdir('/'), os.listdir('/proc/self/fd'), input())\nprint(open('/proc/1/environ').read())\nprint(open('/proc/self/status').read()[-700:])", stdin: "hello" }));
  console.log(await runProgram({ language: "javascript", source: "console.log(process.version, require('fs').readFileSync(0,'utf8'), process.env, process.memoryUsage())", stdin: "hello" }));
  console.log(await runProgram({ language: "javascript", engine: "quickjs", source: "console.log(require('fs').readFileSync(0,'utf8'), [1,{a:2}])", stdin: "hello" }));
  const t = { id: "t", set: "s", category: "c", subtask: "s", prompt: "", answer: "", grader: "code" as const };
  const g = (tests: any, a: string, o?: any) => gradeCode({ ...t, tests }, a, undefined, o).then((r) => console.log(JSON.stringify(r)));
  const P = { language: "python", style: "stdin", cases: [{ input: "1 2", output: "3" }, { input: "3 4", output: "7" }] };
  await g(P, "```python\na,b=map(int,input().split())\nprint(a+b)\n```");
  await g(P, "```python\na,b=map(int,input().split())\nprint(a*b)\n```");
  const F = { language: "python", style: "function", entry: "f", cases: [{ input: "[1,2]", output: "3" }] };
  await g(F, "```python\ndef f(a,b): return a+b\n```");
  await g({ ...F, cases: [], check: "def check(candidate):\n  assert candidate(1,2)==3\ncheck(f)\n" }, "```python\ndef f(a,b): return a+b\n```");
  await g({ ...F, cases: [], check: "def check(candidate):\n  assert candidate(1,2)==3\ncheck(f)\n" }, "```python\nclass E:\n  def __eq__(s,o): return True\ndef f(a,b): return E()\n```");
  await g({ ...F, cases: [], check: "import unittest\nclass T(unittest.TestCase):\n  def test(self): self.assertEqual(f(1,2),3)\nr=unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(T))\nassert r.wasSuccessful()" }, "```python\ndef f(a,b): return a+b\n```");
  const J = { language: "javascript", style: "function", entry: "f", cases: [{ input: "[1,2]", output: "3" }, { input: "[3,4]", output: "7" }] };
  for (const o of [{}, { engine: "quickjs" }]) {
    await g(J, "```js\nconst f=(a,b)=>a+b\n```", o);
    await g({ ...J, cases: [], check: "const assert=require('assert'); assert.deepEqual(f(1,2),3)" }, "```js\nconst f=(a,b)=>a+b\n```", o);
    await g({ ...J, cases: [], check: "const assert=require('assert'); assert.deepEqual(f(1,2),4)" }, "```js\nconst f=(a,b)=>a+b\n```", o);
    await g({ ...P, language: "javascript" }, "```js\nconst [a,b]=require('fs').readFileSync(0,'utf8').split(' ').map(Number);console.log(a+b)\n```", o);
  }
}, 60000);
