// Small programs, right and wrong in every way we could think of, graded through the public door.
import { describe, expect, it } from "vitest";
import { chooseSandbox, describeMissing } from "../sandbox/sandbox.ts";
import type { CodeTests, GradedTask } from "../types.ts";
import { gradeCode } from "./grade-code.ts";

type Program = [name: string, source: string, score: 0 | 1, why?: RegExp, tests?: Partial<CodeTests>];

const toTask = (tests: CodeTests, prompt = ""): GradedTask => ({
  ...{ id: "task", set: "test", category: "code", family: "small", prompt, answer: "", grader: "code" },
  tests: { timeoutMs: 4_000, ...tests },
});
const fence = (source: string, language = "python") =>
  `Here it is.\n\n\`\`\`${language}\n${source}\n\`\`\`\n`;

const SUM: CodeTests = {
  ...{ language: "python", style: "stdin" },
  cases: [
    { input: "1 2\n", output: "3\n" },
    { input: "10 -4\n", output: "6\n" },
  ],
};
const HALF: CodeTests = { ...SUM, cases: [{ input: "1", output: "0.3333333333" }] };
const LINES: CodeTests = { ...SUM, cases: [{ input: "3", output: "1\n2\n3" }] };
const CALL: CodeTests = {
  ...{ language: "python", style: "function", entry: "f" },
  cases: [
    { input: "[[3, 1, 2]]", output: "[1, 2, 3]" },
    { input: "[[]]", output: "[]" },
  ],
};
const CHECK: CodeTests = {
  ...{ language: "python", style: "function", entry: "add" },
  check:
    "def check(candidate):\n    assert candidate(1, 2) == 3\n    assert candidate(-1, 1) == 0\ncheck(add)\n",
};
const UNIT: CodeTests = {
  ...CHECK,
  check: `import unittest
class TestCases(unittest.TestCase):
    def test_sum(self): self.assertEqual(add(1, 2), 3)
result = unittest.TextTestRunner(verbosity=0).run(unittest.defaultTestLoader.loadTestsFromTestCase(TestCases))
if not result.wasSuccessful(): raise AssertionError("tests failed")`,
};
const READ = "a, b = map(int, input().split())";

const STDIN: Program[] = [
  ["a right program", `${READ}\nprint(a + b)`, 1],
  ["a wrong program", `${READ}\nprint(a * b)`, 0, /case 1 of 2: for "1 2" expected "3" but got "2"/],
  ["right for the first case only", `${READ}\nprint(3)`, 0, /case 2 of 2/],
  ["a program that crashes", `${READ}\nprint(a / 0)`, 0, /ZeroDivisionError/],
  [
    "one that crashes after the right output",
    `${READ}\nprint(a + b)\nraise ValueError("x")`,
    0,
    /ValueError/,
  ],
  ["a syntax error", "print((1)", 0, /SyntaxError/],
  ["one that is too slow", "while True: pass", 0, /took longer than 300 ms/, { timeoutMs: 300 }],
  ["one that sleeps", "import time\ntime.sleep(60)", 0, /took longer/, { timeoutMs: 300 }],
  ["extra text", `${READ}\nprint("sum:", a + b)`, 0, /but got "sum: 3"/],
  ["an extra line", `${READ}\nprint(a + b)\nprint("done")`, 0, /case 1/],
  ["space at the end of lines and of the output", `${READ}\nprint(a + b, "  \\n\\n")`, 1],
  ["no line end", `${READ}\nprint(a + b, end="")`, 1],
  ["no output", `${READ}`, 0, /but got ""/],
  ["more on standard error", `import sys\n${READ}\nprint("debug", file=sys.stderr)\nprint(a + b)`, 1],
  ["sys.exit(0) after the output", `import sys\n${READ}\nprint(a + b)\nsys.exit(0)`, 1],
  ["sys.exit(0) before it", "import sys\nsys.exit(0)", 0, /but got ""/],
  ["os._exit(0) before it", "import os\nos._exit(0)", 0, /but got ""/],
  ["exit code 1", `import sys\n${READ}\nprint(a + b)\nsys.exit(1)`, 0, /failed/],
  ["a main guard", `def main():\n    ${READ}\n    print(a + b)\nif __name__ == "__main__":\n    main()`, 1],
  ["reading through sys.stdin", "import sys\nprint(sum(int(x) for x in sys.stdin.read().split()))", 1],
  ["reading through open(0)", "print(sum(map(int, open(0).read().split())))", 1],
  ["reading bytes", "import sys\nprint(sum(map(int, sys.stdin.buffer.readline().split())))", 1],
  ["a module that it forgot to import", "print(sum(map(int, sys.stdin.read().split())))", 1],
  ["a name that nothing defines", "print(solve(input()))", 0, /NameError/],
  ["endless recursion", "def f(n): return f(n + 1)\nf(0)", 0, /RecursionError/],
  [
    "endless recursion without the guard",
    "import sys\nsys.setrecursionlimit(10**9)\ndef f(n): return [f(n + 1)]\nf(0)",
    0,
  ],
  ["too much memory", "x = [0]\nwhile True: x += x", 0, /memory/],
  ["too much output", "while True: print('x' * 10000)", 0],
  [
    "state kept between cases",
    `import os\nif os.path.exists("/tmp/.seen"): print("no")\n${READ}\nprint(a + b)`,
    1,
  ],
  ["a printed verdict", `print("passed"); print('{"ok": true}'); print("OK")`, 0, /case 1/],
  [
    "writing into the driver's own output",
    "import os\nfor p in os.listdir('/proc'):\n    if p.isdigit():\n        for f in ('1', '3', '4', '5'):\n            try: open('/proc/' + p + '/fd/' + f, 'w').write('0 done 0\\npassed\\n')\n            except OSError: pass",
    0,
  ],
  ["killing the driver", "import os\nos.kill(os.getppid(), 9)", 0],
  ["killing everything", "import os\nos.kill(-1, 9)", 0],
  ["a float within the tolerance", "print(1 / 3)", 1, undefined, HALF],
  ["a float outside of it", "print(0.3334)", 0, /0.3334/, HALF],
  ["lines", "for i in range(int(input())): print(i + 1)", 1, undefined, LINES],
  ["lines in one line", "print(*range(1, int(input()) + 1))", 0, /case 1/, LINES],
  [
    "a long whole number, off by one",
    "print(12345678901234567890123)",
    0,
    undefined,
    { cases: [{ input: "", output: "12345678901234567890124" }] },
  ],
];

const FUNCTIONS: Program[] = [
  ["a right function", "def f(x): return sorted(x)", 1],
  [
    "a method of Solution",
    "class Solution:\n    def f(self, x: List[int]) -> List[int]:\n        return sorted(x)",
    1,
  ],
  ["a tuple for a list", "def f(x): return tuple(sorted(x))", 1],
  ["a wrong function", "def f(x): return x", 0, /expected "\[1, 2, 3\]" but got "\[3, 1, 2\]"/],
  ["another name", "def g(x): return sorted(x)", 0, /does not define f/],
  ["a function that prints", "def f(x):\n    print('[1, 2, 3]')\n    return sorted(x)", 1],
  ["a printed result that is not returned", "def f(x): print('[1, 2, 3]')", 0, /null/],
  [
    "a value that is equal to everything",
    "class E(list):\n    def __eq__(self, other): return True\ndef f(x): return E([9])",
    0,
    /\[9\]/,
  ],
  ["a value that is not JSON", "def f(x): return object()", 0, /is not JSON/],
  ["a patched json", "import json\njson.dumps = lambda *a, **k: 'true'\ndef f(x): return x", 0],
  ["leaving early", "import sys\ndef f(x): sys.exit(0)", 0, /ended itself/],
  ["leaving very early", "import os\ndef f(x): os._exit(0)", 0],
  ["a function that crashes", "def f(x): return x[0]", 0, /expected/],
  ["a slow function", "def f(x):\n    while True: pass", 0, /took longer/, { timeoutMs: 300 }],
  [
    "long integers",
    "def f(n): return n + 1",
    1,
    undefined,
    { cases: [{ input: "[9007199254740993]", output: "9007199254740994" }] },
  ],
  [
    "long integers, off by one",
    "def f(n): return n",
    0,
    undefined,
    { cases: [{ input: "[9007199254740993]", output: "9007199254740992" }] },
  ],
];

const CHECKS: Program[] = [
  ["a right program", "def add(a, b): return a + b", 1, /its check/],
  [
    "a wrong program",
    "def add(a, b): return a - b",
    0,
    /the check failed at "assert candidate\(1, 2\) == 3"/,
  ],
  [
    "a value that is equal to everything",
    "class E(int):\n    def __eq__(self, o): return True\ndef add(a, b): return E(9)",
    0,
  ],
  [
    "an object that is equal to everything",
    "class E:\n    def __eq__(self, o): return True\ndef add(a, b): return E()",
    0,
  ],
  ["a patched check", "def check(candidate): pass\ndef add(a, b): return 0", 0],
  ["patched builtins", "import builtins\nbuiltins.AssertionError = Exception\ndef add(a, b): return 0", 0],
  ["leaving early", "import sys\nsys.exit(0)", 0, /SystemExit/],
  ["leaving in the call", "import os\ndef add(a, b): os._exit(0)", 0, /ended before/],
  [
    "a forged reply",
    "import os\ndef add(a, b):\n    for f in range(3, 20):\n        try: os.write(f, b'{\"ok\": true}\\n')\n        except OSError: pass\n    return 0",
    0,
  ],
  [
    "looking for the check in its frames",
    "import sys\ndef add(a, b):\n    f = sys._getframe()\n    while f:\n        if 'check' in f.f_globals or 'task' in f.f_locals and 'check' in f.f_locals['task']: return 3\n        f = f.f_back\n    return 0",
    0,
  ],
  ["a slow program", "def add(a, b):\n    while True: pass", 0, /took longer/, { timeoutMs: 300 }],
  ["a crash", "def add(a, b): raise KeyError('x')", 0, /KeyError/],
  ["a program without the function", "x = 1", 0, /does not define add/],
  [
    "a check that expects an error",
    "def add(a, b): raise ValueError('no')",
    1,
    undefined,
    { check: "try:\n    add(1, 2)\n    assert False\nexcept ValueError: pass" },
  ],
  [
    "a check with objects of the program",
    "class P:\n    def __init__(self, v): self.v = v\n    def twice(self): return self.v * 2\ndef add(p, q): return p.v + q.v",
    1,
    undefined,
    { check: "assert add(P(1), P(2)) == 3 and P(4).twice() == 8" },
  ],
  [
    "tuples, sets, dicts and generators",
    "def add(a, b): return (a, {b}, {1: (2,)}, [i for i in range(2)])",
    1,
    undefined,
    { check: "assert add(1, 2) == (1, {2}, {1: (2,)}, [0, 1])" },
  ],
  [
    "a list where a tuple is due",
    "def add(a, b): return [a, b]",
    0,
    undefined,
    { check: "assert add(1, 2) == (1, 2)" },
  ],
  [
    "its own math where the check uses math",
    "class math:\n    @staticmethod\n    def isclose(a, b): return True\ndef add(a, b): return 0",
    0,
    undefined,
    { check: "assert math.isclose(add(1, 2), 3)" },
  ],
  ["unit tests, passed", "def add(a, b): return a + b", 1, /own process/, UNIT],
  ["unit tests, failed", "def add(a, b): return a", 0, /tests failed/, UNIT],
  ["unit tests, left early", "import os\ndef add(a, b): os._exit(0)", 0, /ended before/, UNIT],
];

const sandbox = await chooseSandbox("python");
if (typeof sandbox === "object") console.log(`Skipped: ${describeMissing("python", sandbox)}`);

describe.skipIf(sandbox !== "bubblewrap")("Python", () => {
  const suites = {
    "reads and prints": [SUM, STDIN],
    "is called": [CALL, FUNCTIONS],
    "is checked": [CHECK, CHECKS],
  } as const;
  for (const [title, [base, programs]] of Object.entries(suites)) {
    describe(title, () => {
      it.each(programs as Program[])("%s", async (_, source, score, why = /./, tests = {}) => {
        const grade = await gradeCode(toTask({ ...base, ...tests }), fence(source));
        const decidedIn = tests === UNIT ? "program" : undefined;
        expect(grade).toEqual({ score, why: expect.stringMatching(why), sandbox: "bubblewrap", decidedIn });
      });
    });
  }

  it("takes what the prompt defines, and goes on where it stops", async () => {
    const prompt =
      'import math\n\ndef helper(x):\n    return math.floor(x)\n\ndef add(a: int, b: int) -> int:\n    """Adds."""\n';
    const task = toTask({ ...CHECK, check: "assert helper(1.5) == 1\nassert add(1, 2) == 3" }, prompt);
    expect((await gradeCode(task, fence("    return helper(a) + b"))).score).toBe(1);
    expect(
      (await gradeCode(task, fence("def helper(x): return 1\ndef add(a, b): return math.floor(a + b)")))
        .score,
    ).toBe(1);
    expect((await gradeCode(task, fence("def helper(x): return 1\ndef add(a, b): return 4"))).score).toBe(0);
  });

  it("leaves a task ungraded whose check needs a package that is not there", async () => {
    const source = "def add(a, b): return a + b";
    for (const check of [
      "import no_such_package\nassert add(1, 2) == 3",
      "import unittest, no_such_package",
    ]) {
      const grade = await gradeCode(toTask({ ...CHECK, check }), fence(source));
      expect(grade).toMatchObject({
        ungraded: true,
        why: expect.stringContaining("pip install no_such_package"),
      });
    }
    const own = await gradeCode(toTask(CHECK), fence(`import no_such_package\n${source}`));
    expect(own.ungraded).toBeUndefined();
  });

  it("stops when it is told to", async () => {
    const controller = new AbortController();
    const grading = gradeCode(toTask(SUM), fence("while True: pass"), controller.signal);
    controller.abort(new Error("enough"));
    await expect(grading).rejects.toThrow("enough");
  });
});

describe("what cannot be graded", () => {
  it("says what to install where no sandbox runs Python, and leaves it ungraded", async () => {
    const grade = await gradeCode(toTask(SUM), fence("print(3)"), undefined, { engine: "quickjs" });
    expect(grade).toMatchObject({
      score: 0,
      ungraded: true,
      why: expect.stringContaining("apt-get install bubblewrap"),
    });
    expect(grade.sandbox).toBeUndefined();
  });

  it("finds no program in prose", async () => {
    const grade = await gradeCode(toTask(SUM), "The sum is three.");
    expect(grade).toEqual({ score: 0, why: "there is no program in the answer" });
  });

  it("refuses a task without tests", async () => {
    const { tests: _, ...task } = toTask(SUM);
    await expect(gradeCode(task, "print(3)")).rejects.toThrow('Task "task" has no tests');
  });
});
