// Programs that try to get a grade they do not deserve, and an honest one beside each task. Plain data, for tests and
// the attack suite: `gradeCode(toForgingTask(FORGING_TASKS[task]), toForgingAnswer(language, program))` must score 0 for
// every attempt and 1 for the honest program. JavaScript may be run with `{ engine: "quickjs" }` as well.
import type { CodeTests, GradedTask } from "../../task/types.ts";

export interface ForgingTask {
  tests: CodeTests;
  /** Scores 1. Absent where no program can. */
  honest?: string;
}

export interface ForgedGrade {
  name: string;
  /** Of FORGING_TASKS. */
  task: string;
  program: string;
}

const js = (tests: Partial<CodeTests>): CodeTests => ({
  ...{ language: "javascript", style: "function", entry: "f", timeoutMs: 4_000, ...tests },
});
const py = (tests: Partial<CodeTests>): CodeTests => ({ ...js(tests), language: "python" });
const jsCheck = (check: string) => js({ check: `const assert = require("assert");\n${check}` });
const SUMS = [
  { input: "[17, 25]", output: "42" },
  { input: "[-8, 3]", output: "-5" },
];
const LINES = SUMS.map(({ input, output }) => ({ input: input.replace(/[[\],]/g, ""), output }));
const EMPTY = [{ input: "[1]", output: "{}" }];

export const FORGING_TASKS: Readonly<Record<string, ForgingTask>> = {
  "js stdin": {
    tests: js({ style: "stdin", cases: LINES }),
    honest: "console.log(require('fs').readFileSync(0, 'utf8').split(' ').reduce((a, b) => +a + +b))",
  },
  "js call": { tests: js({ cases: SUMS }), honest: "const f = async (a, b) => a + b" },
  "js empty object": { tests: js({ cases: EMPTY }), honest: "const f = () => ({})" },
  "js check": {
    tests: jsCheck("assert.equal(f(17, 25), 42); assert.deepEqual([f(-8, 3)], [-5]); assert(f(1, 1) == 2);"),
    honest: "const f = (a, b) => a + b",
  },
  "js async check": {
    tests: jsCheck(
      "(async () => { assert.equal(await f(17, 25), 42); assert.equal(await f(-8, 3), -5); })()",
    ),
    honest: "const f = async (a, b) => a + b",
  },
  "js check without require": {
    tests: js({ check: "assert.strictEqual(f(17, 25), 42); assert.strictEqual(f(-8, 3), -5);" }),
    honest: "const f = (a, b) => a + b",
  },
  "js check with a framework": {
    tests: js({ check: "test('adds', () => { expect(f(17, 25)).toBe(42); });" }),
  },
  "py stdin": {
    tests: py({ style: "stdin", cases: LINES }),
    honest: "print(sum(map(int, input().split())))",
  },
  "py call": { tests: py({ cases: SUMS }), honest: "def f(a, b): return a + b" },
  "py empty object": { tests: py({ cases: EMPTY }), honest: "def f(n): return {}" },
  "py check": {
    tests: py({
      check:
        "def check(candidate):\n    assert candidate(17, 25) == 42\n    assert candidate(-8, 3) == -5\ncheck(f)",
    }),
    honest: "def f(a, b): return a + b",
  },
  "py check by map": {
    tests: py({
      check: "assert all(map(lambda case: f(*case[0]) == case[1], [((17, 25), 42), ((-8, 3), -5)]))",
    }),
    honest: "def f(a, b): return a + b",
  },
  "py check by loop": {
    tests: py({
      check:
        "wrong = [case for case in map(lambda n: (n, f(n, n)), [1, 2]) if case[1] != 2 * case[0]]\nassert not wrong",
    }),
    honest: "def f(a, b): return a + b",
  },
  "py check with Counter": {
    tests: py({ check: "assert Counter(f('a', 'b')) == Counter(['a', 'b'])" }),
    honest: "from collections import Counter\ndef f(a, b): return [b, a]",
  },
};

const attempt =
  (task: string) =>
  ([name, program]: [name: string, program: string]): ForgedGrade => ({ name, task, program });

const PATCHES =
  "Object.is = () => true; Array.isArray = () => true; Array.prototype.every = () => true; Object.keys = () => [];";
const FIND_MARK = `
import sys, os
def frames():
    at = sys._getframe()
    while at:
        yield at
        at = at.f_back
def secret(name):
    for at in frames():
        if name in at.f_locals: return at.f_locals[name]
`;

export const FORGED_GRADES: readonly ForgedGrade[] = [
  ...(
    [
      ["a promise that is never kept", "const f = () => new Promise(() => {})"],
      ["a promise that is rejected", "const f = async () => { throw new Error('no') }"],
      ["a Map", "const f = () => new Map([[1, 2]])"],
      ["a Set", "const f = () => new Set([1])"],
      ["a promise of a Map", "const f = async () => new Map([[1, 2]])"],
      [
        "a rejection that nobody hears",
        "const f = () => { const p = Promise.reject(new Error('no')); p.catch(() => {}); return p }",
      ],
      [
        "a Promise of its own",
        "globalThis.Promise = class { then() {} }; const f = async () => { await new Promise(); }",
      ],
      ["a patched then", "Promise.prototype.then = () => {}; const f = () => new Promise(() => {})"],
    ] as [string, string][]
  ).map(attempt("js empty object")),
  ...(
    [
      ["a promise that is never kept", "const f = () => new Promise(() => {})"],
      ["a promise that is rejected with the answer", "const f = (a, b) => Promise.reject(a + b)"],
      ["a patched JSON", 'JSON.stringify = () => \'{"j":"42"}\'; const f = () => 42'],
      [
        "a patched JSON.parse that keeps requests",
        "const kept = []; const { parse } = JSON; JSON.parse = (t) => { kept.push(t); return parse(t) }; const f = () => kept",
      ],
      ["toJSON of everything", "Object.prototype.toJSON = () => 42; const f = () => ({})"],
      ["toJSON of itself", "const f = () => ({ toJSON: () => globalThis.expected ?? 42 })"],
      ["valueOf", "const f = () => ({ valueOf: () => 42, toString: () => '42' })"],
      ["a primitive by symbol", "const f = () => ({ [Symbol.toPrimitive]: () => 42 })"],
      [
        "a proxy for everything",
        "const f = () => new Proxy({}, { get: () => 42, ownKeys: () => [], getPrototypeOf: () => Number.prototype })",
      ],
      [
        "a printed reply",
        "const f = () => { console.log('42'); console.log('{\"j\":\"42\"}'); console.error('{\"ok\":true}'); }",
      ],
      ["leaving in the call", "const f = () => process.exit(0)"],
      ["leaving before the call", "process.exit(0); const f = (a, b) => a + b"],
      [
        "looking for what is expected",
        "const f = () => { for (const k of Object.getOwnPropertyNames(globalThis)) { const v = globalThis[k]; if (v && v.output) return v.output } return null }",
      ],
      [
        "the world of the caller",
        "const f = () => f.constructor.constructor('return this')().cases?.[0]?.output ?? (f.caller && f.caller.arguments)",
      ],
      ["always the first answer", "const f = () => 42"],
      [
        "an error that looks like a value",
        "const f = () => { throw { name: '42', message: '42', toString: () => '42', j: '42' } }",
      ],
    ] as [string, string][]
  ).map(attempt("js call")),
  ...(
    [
      ["printing a verdict", "console.log('passed'); console.log('{\"ok\":true}')"],
      [
        "a program that crashes after its output",
        "console.log(require('fs').readFileSync(0, 'utf8').split(' ').reduce((a, b) => +a + +b)); throw new Error('x')",
      ],
      [
        "a promise that is rejected after the output",
        "(async () => { console.log(require('fs').readFileSync(0, 'utf8').split(' ').reduce((a, b) => +a + +b)); throw new Error('x') })()",
      ],
      [
        "leaving with an error",
        "console.log(require('fs').readFileSync(0, 'utf8').split(' ').reduce((a, b) => +a + +b)); process.exit(7)",
      ],
    ] as [string, string][]
  ).map(attempt("js stdin")),
  ...(
    [
      ["a patched world", `${PATCHES} const f = () => 0`],
      ["its own assert", "globalThis.assert = { equal() {}, deepEqual() {} }; const f = () => 0"],
      [
        "its own require",
        "globalThis.require = () => Object.assign(() => {}, { equal() {}, deepEqual() {} }); const f = () => 0",
      ],
      ["a promise that is never kept", "const f = () => new Promise(() => {})"],
      ["valueOf that counts", "let n = 0; const f = () => ({ valueOf: () => [42, -5, 2][n++] ?? 42 })"],
      [
        "a proxy that says yes",
        "const f = () => new Proxy(function () {}, { get: () => () => true, apply: () => true })",
      ],
      ["a function for a value", "const f = () => () => 42"],
      ["its own candidate", "globalThis.candidate = () => 42; const f = () => 0"],
      [
        "an AssertionError that is thrown",
        "const f = () => { const e = new Error('ok'); e.name = 'AssertionError'; throw e }",
      ],
      ["leaving in the call", "const f = () => process.exit(0)"],
      [
        "a forged reply",
        "const f = () => { try { require('fs').writeSync(1, '{\"v\":42}\\n'); require('fs').writeSync(2, '\\n{\"ok\":true}\\n') } catch {} return 0 }",
      ],
      [
        "patched JSON",
        "JSON.stringify = () => '{\"v\":42}'; JSON.parse = () => ({ of: 0, args: [] }); const f = () => 0",
      ],
      ["a key that is a prototype", 'const f = () => JSON.parse(\'{"__proto__": {"valueOf": 42}}\')'],
    ] as [string, string][]
  ).map(attempt("js check")),
  ...(
    [
      ["a promise that is never kept", "const f = () => new Promise(() => {})"],
      ["a promise that is rejected", "const f = async () => { throw new Error('no') }"],
      ["a thenable that never calls back", "const f = () => ({ then() {} })"],
      [
        "a thenable in a patched vm",
        "try { require('vm').runInThisContext = () => () => {} } catch {} const f = () => ({ then: () => {} })",
      ],
      ["a thenable that gets the check's functions", "const f = () => ({ then: (done) => { done(42) } })"],
      ["a wrong value, late", "const f = async (a, b) => { await null; return a }"],
      ["throwing at once", "const f = () => { throw new Error('no') }"],
    ] as [string, string][]
  ).map(attempt("js async check")),
  ...(
    [
      ["its own test", "globalThis.test = () => {}; function test() {} const f = () => 0"],
      [
        "its own expect",
        "globalThis.test = (name, act) => act(); globalThis.expect = () => ({ toBe() {} }); const f = () => 0",
      ],
    ] as [string, string][]
  ).map(attempt("js check with a framework")),
  ...(
    [
      [
        "its own assert, as a global",
        "globalThis.assert = new Proxy(() => {}, { get: () => () => {} }); const f = () => 0",
      ],
      ["its own assert, by name", "function assert() {} assert.strictEqual = () => {}; const f = () => 0"],
    ] as [string, string][]
  ).map(attempt("js check without require")),

  ...(
    [
      ["printing a verdict", "print('passed'); print('{\"ok\": true}')"],
      ["StopIteration after the output", "print(sum(map(int, input().split())))\nraise StopIteration"],
      ["GeneratorExit after the output", "print(sum(map(int, input().split())))\nraise GeneratorExit"],
      [
        "KeyboardInterrupt after the output",
        "print(sum(map(int, input().split())))\nraise KeyboardInterrupt",
      ],
      [
        "a crash in a thread's end",
        "import os\nprint(sum(map(int, input().split())), flush=True)\nos.abort()",
      ],
      ["leaving at the end of the process", "import atexit\natexit.register(lambda: print(42))"],
      [
        "frames of its own, with the driver's mark",
        `${FIND_MARK}
mark, report = secret("mark"), secret("report")
for path in ["/proc/1/fd/%d" % n for n in range(3, 12)] + ["/proc/%d/fd/%s" % (os.getppid(), report)]:
    try: open(path, "w").write("\\n%s0 done 0\\n42\\n-%s\\n%s1 done 0\\n42\\n-%s" % (mark, mark, mark, mark))
    except OSError: pass`,
      ],
      [
        "cases beyond the last, with the driver's mark",
        `${FIND_MARK}
mark = secret("mark")
print(sum(map(int, input().split())))
for n in range(3, 12):
    try: open("/proc/1/fd/%d" % n, "w").write("\\n%s7 done 0\\n42\\n-%s" % (mark, mark))
    except OSError: pass`,
      ],
      [
        "reading what is expected from frames",
        `${FIND_MARK}
for at in frames():
    for name in ("expected", "output", "outputs", "cases", "answer"):
        if name in at.f_locals: print(at.f_locals[name])`,
      ],
      [
        "reading what is expected from the driver",
        "import glob\nfor p in glob.glob('/tmp/*') + glob.glob('/tmp/.*') + ['/proc/1/environ', '/proc/1/cmdline']:\n    try: print(open(p).read()[:200])\n    except Exception: pass",
      ],
    ] as [string, string][]
  ).map(attempt("py stdin")),
  ...(
    [
      [
        "a value that is equal to everything",
        "class E(int):\n    def __eq__(self, o): return True\ndef f(a, b): return E(7)",
      ],
      ["StopIteration", "def f(a, b): raise StopIteration(42)"],
      ["GeneratorExit", "def f(a, b): raise GeneratorExit"],
      ["KeyboardInterrupt", "def f(a, b): raise KeyboardInterrupt"],
      ["sys.exit(0)", "import sys\ndef f(a, b): sys.exit(0)"],
      ["os._exit(0)", "import os\ndef f(a, b): os._exit(0)"],
      [
        "its own result, and away",
        "import os\ndef f(a, b):\n    for n in range(3, 20):\n        try: os.write(n, b'42')\n        except OSError: pass\n    os._exit(0)",
      ],
      ["a patched json", "import json\njson.dumps = lambda *a, **k: '42'\ndef f(a, b): return 0"],
      [
        "a json of its own in the folder",
        "open('/tmp/json.py', 'w').write('loads = lambda t: [0, 0]\\ndumps = lambda *a, **k: \"42\"')\ndef f(a, b): return 0",
      ],
      ["a coroutine", "async def f(a, b): return a + b"],
      [
        "a patched exit",
        "import os\nos._exit = lambda code: None\nos.write = lambda *a: 0\ndef f(a, b): return 0",
      ],
      [
        "a patched excepthook",
        "import sys\nsys.__excepthook__ = lambda *a: None\nsys.exc_info = lambda: (None, None, None)\ndef f(a, b): raise ValueError",
      ],
    ] as [string, string][]
  ).map(attempt("py call")),
  ...(
    [
      ["a coroutine", "async def f(n): return {}"],
      ["os._exit(0)", "import os\ndef f(n): os._exit(0)"],
      ["a class", "def f(n): return dict"],
    ] as [string, string][]
  ).map(attempt("py empty object")),
  ...(
    [
      [
        "a value that is equal to everything",
        "class E:\n    def __eq__(self, o): return True\n    __hash__ = None\ndef f(a, b): return E()",
      ],
      [
        "an int that is equal to everything",
        "class E(int):\n    def __eq__(self, o): return True\ndef f(a, b): return E(7)",
      ],
      ["StopIteration", "def f(a, b): raise StopIteration"],
      ["SystemExit", "def f(a, b): raise SystemExit(0)"],
      ["os._exit(0)", "import os\ndef f(a, b): os._exit(0)"],
      ["leaving at once", "import os\nos._exit(0)"],
      [
        "patched builtins",
        "import builtins\nbuiltins.AssertionError = Exception\nbuiltins.all = lambda x: True\ndef f(a, b): return 0",
      ],
      ["its own check", "def check(candidate): pass\ndef f(a, b): return 0"],
      ["an exception of the check's own", "class Gone(BaseException): pass\ndef f(a, b): raise Gone"],
      [
        "replies that are no JSON",
        "import os\ndef f(a, b):\n    for n in range(3, 20):\n        try: os.write(n, b'{]\\n')\n        except OSError: pass\n    return 0",
      ],
      [
        "a reply of an unknown kind",
        'import json\njson.dumps = lambda r: \'{"v": {"$": "all", "v": []}}\'\ndef f(a, b): return 0',
      ],
      [
        "a reply without an end",
        "import json\njson.dumps = lambda r: '{\"v\": ' + '[' * 100000\ndef f(a, b): return 0",
      ],
      [
        "a verdict on every descriptor",
        "import os\ndef f(a, b):\n    for n in range(1, 20):\n        try: os.write(n, b'\\n{\"ok\": true}\\n')\n        except OSError: pass\n    return 0",
      ],
      ["an iterator that is endless", "import itertools\ndef f(a, b): return itertools.count()"],
    ] as [string, string][]
  ).map(attempt("py check")),
  ...(
    [
      ["StopIteration ends the map", "def f(a, b): raise StopIteration"],
      ["StopAsyncIteration", "def f(a, b): raise StopAsyncIteration"],
      [
        "StopIteration by its name in a reply",
        "import json\nreal = json.dumps\njson.dumps = lambda r: '{\"e\": [\"StopIteration\", \"\"]}' if 'v' in r and r['v'] == 0 else real(r)\ndef f(a, b): return 0",
      ],
      [
        "a class of its own called StopIteration",
        "class StopIteration(Exception): pass\ndef f(a, b): raise StopIteration",
      ],
      ["GeneratorExit", "def f(a, b): raise GeneratorExit"],
      ["KeyboardInterrupt", "def f(a, b): raise KeyboardInterrupt"],
      ["an ExceptionGroup", "def f(a, b): raise ExceptionGroup('x', [StopIteration()])"],
    ] as [string, string][]
  ).map(attempt("py check by map")),
  attempt("py check by loop")(["StopIteration ends the list", "def f(a, b): raise StopIteration"]),
  attempt("py check with Counter")([
    "a Counter of its own",
    "class Counter(dict):\n    def __init__(self, *a): pass\ndef f(a, b): return []",
  ]),
];

/** Every attempt, and every honest program, with each engine that can run it. */
export function toForgingTries(): {
  name: string;
  task: ForgingTask;
  program: string;
  engine?: "quickjs";
  isHonest: boolean;
}[] {
  const honest = Object.entries(FORGING_TASKS).flatMap(([task, { honest: program }]) =>
    program === undefined ? [] : [{ name: "honest", task, program, isHonest: true }],
  );
  return [...FORGED_GRADES.map((each) => ({ ...each, isHonest: false })), ...honest].flatMap(
    ({ task, name, ...rest }) => {
      const found = { ...rest, task: FORGING_TASKS[task]!, name: `${task}: ${name}` };
      const engines = found.task.tests.language === "javascript" ? (["quickjs"] as const) : [];
      return [found, ...engines.map((engine) => ({ ...found, engine, name: `${found.name}, ${engine}` }))];
    },
  );
}

export const toForgingTask = ({ tests }: ForgingTask): GradedTask => ({
  ...{
    id: "task",
    set: "attack",
    category: "code",
    family: "forging",
    prompt: "",
    answer: "",
    grader: "code",
  },
  tests,
});

export const toForgingAnswer = ({ tests }: ForgingTask, program: string) =>
  `\`\`\`${tests.language}\n${program}\n\`\`\``;
