// Cases of one program share nothing that it can write: what it leaves behind in one, the next does not see.
import { describe, expect, it } from "vitest";
import { chooseSandbox, describeMissing } from "../sandbox/sandbox.ts";
import type { CodeTests, GradedTask } from "../types.ts";
import { gradeCode } from "./grade-code.ts";

const sandbox = await chooseSandbox("python");
if (typeof sandbox === "object") console.log(`Skipped: ${describeMissing("python", sandbox)}`);

/** The program must say "fresh" three times: it says "seen" where it finds what it left. */
const grade = (language: CodeTests["language"], program: string) => {
  const cases = ["1", "2", "3"].map((input) => ({ input, output: "fresh" }));
  const tests: CodeTests = { language, style: "stdin", cases, timeoutMs: 4_000 };
  const task: GradedTask = {
    ...{ id: "task", set: "test", category: "code", family: "small", prompt: "", answer: "", grader: "code" },
    tests,
  };
  return gradeCode(task, `\`\`\`${language}\n${program}\n\`\`\``);
};

const say = (seen: string, leave: string) => `import os
seen = ${seen}
${leave}
print("seen" if seen else "fresh")`;

describe.skipIf(sandbox !== "bubblewrap")("Python", () => {
  it.each([
    ["a file in /tmp", say("os.path.exists('/tmp/left')", "open('/tmp/left', 'w').write('x')")],
    ["a file in its own folder", say("os.path.exists('left')", "open('left', 'w').write('x')")],
    [
      "a file in shared memory",
      say("os.path.exists('/dev/shm/left')", "open('/dev/shm/left', 'w').write('x')"),
    ],
    [
      "a folder that may not be entered",
      say(
        "os.path.exists('/tmp/a')",
        "os.makedirs('/tmp/a/b/c')\nopen('/tmp/a/b/f', 'w')\nos.chmod('/tmp/a/b', 0)\nos.chmod('/tmp/a', 0)",
      ),
    ],
    ["a link", say("os.path.lexists('/tmp/link')", "os.symlink('/nowhere', '/tmp/link')")],
    ["a module", say("os.path.exists('/tmp/json.py')", "open('/tmp/json.py', 'w').write('x = 1')")],
    [
      "a pipe in the place of its output",
      say(
        "False",
        "os.unlink('/tmp/.case-out') if os.path.exists('/tmp/.case-out') else None\nos.mkfifo('/tmp/.case-out')",
      ),
    ],
    ["the time of its folder", say("os.stat('/tmp').st_atime_ns == 77", "os.utime('/tmp', ns=(77, 77))")],
    ["the mode of its folder", say("os.stat('/tmp').st_mode & 0o777 == 0o750", "os.chmod('/tmp', 0o750)")],
    [
      "a process that goes on in a session of its own",
      say(
        "os.path.exists('/tmp/left') or any(open('/proc/%s/cmdline' % p).read() == '' for p in os.listdir('/proc') if p.isdigit() and int(p) not in (1, os.getpid()))",
        `if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            try: open('/tmp/left', 'w').write('x')
            except OSError: pass
    os._exit(0)
import time
while not os.path.exists('/tmp/left'): time.sleep(0.01)`,
      ),
    ],
    [
      "a message queue",
      say("QUEUE(b'/left', 0, 0, None) >= 0", "QUEUE(b'/left', 0o102, 0o600, None)").replace(
        "import os",
        "import os, ctypes\nlibrary = ctypes.CDLL(None)\nQUEUE = getattr(library, 'mq_open', lambda *a: -1)",
      ),
    ],
  ])("leaves nothing for the next case: %s", async (_, program) => {
    expect(await grade("python", program)).toMatchObject({ score: 1 });
  });

  it("fails where what it leaves cannot be removed", async () => {
    const deep = "import os\nfor i in range(3000):\n    os.mkdir('d')\n    os.chdir('d')\nprint('fresh')";
    expect(await grade("python", deep)).toMatchObject({
      score: 0,
      why: expect.stringContaining("left files that cannot be removed"),
    });
  });

  it("still has a folder to write to", async () => {
    const program = "open('x', 'w').write('fresh')\nprint(open('/tmp/x').read())";
    expect(await grade("python", program)).toMatchObject({ score: 1 });
  });
});

describe.skipIf(sandbox !== "bubblewrap")("JavaScript", () => {
  it.each(["/tmp/left", "/dev/shm/left"])("leaves nothing for the next case in %s", async (path) => {
    const program = `const fs = require("fs"); console.log(fs.existsSync("${path}") ? "seen" : "fresh"); fs.writeFileSync("${path}", "x")`;
    expect(await grade("javascript", program)).toMatchObject({ score: 1 });
  });
});
