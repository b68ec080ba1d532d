// Programs that try to get out. Each must be held, and this process must not notice more than a result.
// What is dangerous runs first in a harmless size, and goes on only if the limit was seen to hold.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { chooseSandbox, describeMissing, runProgram } from "./sandbox.ts";
import type { ProgramOptions } from "./types.ts";

const SECRET = "tutti-marker-5f1c";
const LIMITS = { timeoutMs: 5_000, memoryMb: 256, maxOutputBytes: 20_000 };

beforeAll(() => vi.stubEnv("TUTTI_TEST_SECRET", SECRET));
afterAll(() => vi.unstubAllEnvs());

const sandbox = await chooseSandbox("python");
if (typeof sandbox === "object") console.log(`Skipped: ${describeMissing("python", sandbox)}`);

const python = (source: string, options: Partial<ProgramOptions> = {}) =>
  runProgram({ language: "python", source, flags: ["-S"], ...LIMITS, ...options });

describe.skipIf(sandbox !== "bubblewrap")("Python in bubblewrap", () => {
  it("runs a program with its input, its files and its exit code", async () => {
    const source = "import sys\nprint(input(), open('more.txt').read())\nsys.exit(3)";
    const result = await python(source, { stdin: "in", files: { "more.txt": "file" } });
    expect(result).toMatchObject({ exit: "error", code: 3, stdout: "in file\n", ranIn: "bubblewrap" });
    expect(result.durationMs).toBeGreaterThan(0);
  });

  it("gives sets the same order in every run", async () => {
    const runs = await Promise.all([1, 2, 3].map(() => python("print({'a', 'b', 'c', 'd', 'e', 'f'})")));
    expect(new Set(runs.map((run) => run.stdout)).size).toBe(1);
  });

  it("stops forks at a small number, and so a fork bomb", async () => {
    const careful = `
import os, time
made = 0
try:
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(0.3)
            os._exit(0)
        made += 1
except OSError:
    pass
print(made)`;
    const { stdout } = await python(careful);
    expect(Number(stdout)).toBeGreaterThan(0);
    expect(Number(stdout)).toBeLessThan(40);
    const bomb = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass";
    expect(await python(bomb, { timeoutMs: 700 })).toMatchObject({ exit: "timeout" });
    const shell = "import os\nos.system('b() { b | b & }; b; sleep 5')";
    expect((await python(shell, { timeoutMs: 700 })).exit).not.toBe("aborted");
    expect((await python("print('alive')")).stdout).toBe("alive\n");
  });

  it("stops threads at a small number", async () => {
    const source = `
import threading, time
made = 0
try:
    for _ in range(200):
        threading.Thread(target=time.sleep, args=(0.2,), daemon=True).start()
        made += 1
except BaseException:
    pass
print(made)`;
    const { stdout } = await python(source);
    expect(Number(stdout)).toBeLessThan(40);
  });

  it("ends a program that takes too much memory", async () => {
    const result = await python("data = []\nwhile True: data.append(bytearray(10_000_000))");
    expect(result.exit).toBe("memory");
  });

  it("counts the memory of all processes together", async () => {
    const source = `
import os, time
for _ in range(6):
    if os.fork() == 0:
        data = bytearray(90_000_000)
        time.sleep(4)
        os._exit(0)
time.sleep(4)
print("done")`;
    expect(await python(source)).toMatchObject({ exit: "memory", stdout: "" });
  });

  it("leaves no memory that is not counted", async () => {
    const source = `
import os
def attempt(act):
    try:
        act()
        print("open")
    except OSError as error:
        print(type(error).__name__)
attempt(lambda: os.memfd_create("x"))
attempt(lambda: open("/dev/x", "w"))
attempt(lambda: open("/x", "w"))
attempt(lambda: open("/etc/x", "w"))
attempt(lambda: open("/usr/lib/x", "w"))
attempt(lambda: os.mkdir("/home"))`;
    const { stdout } = await python(source);
    expect(stdout).not.toContain("open");
    expect(stdout.trim().split("\n")).toHaveLength(6);
  });

  it("ends a program that prints without end, on either stream", async () => {
    for (const stream of ["stdout", "stderr"] as const) {
      const result = await python(`import sys\nwhile True: sys.${stream}.write('x' * 1000)`);
      expect(result.exit).toBe("output");
      expect(result[stream]).toHaveLength(LIMITS.maxOutputBytes);
    }
  });

  it("shows no files of the host", async () => {
    const repository = join(import.meta.dirname, "../../../package.json");
    const paths = [
      "/etc/passwd",
      "/etc/shadow",
      "/etc/hostname",
      "/home",
      "/var",
      "/run",
      "/sys",
      "/root/.bashrc",
    ];
    const source = `
import os, sys
for path in ${JSON.stringify([...paths, repository, tmpdir(), import.meta.dirname])}:
    found = os.path.exists(path) and path != "/tmp"
    print(path, "SEEN" if found else "hidden")
print("tmp", os.listdir("/tmp"))`;
    expect(existsSync(repository)).toBe(true);
    const { stdout } = await python(source);
    expect(stdout).not.toContain("SEEN");
    expect(stdout).toContain("tmp ['main.py']");
  });

  it("shows nothing of the environment, neither its own nor that of the first process", async () => {
    const source = `
import os
print(dict(os.environ))
for pid in os.listdir("/proc"):
    if pid.isdigit():
        for name in ("environ", "cmdline", "cwd"):
            try: print(pid, name, open("/proc/" + pid + "/" + name, errors="replace").read())
            except OSError: pass`;
    const { stdout } = await python(source);
    expect(stdout).toContain("PYTHONHASHSEED");
    expect(stdout).not.toContain(SECRET);
    expect(stdout).not.toMatch(/TUTTI|USER|SHELL/);
  });

  it("inherits no open descriptor", async () => {
    const source = `
import os
for name in os.listdir("/proc/self/fd"):
    try: print(int(name), os.readlink("/proc/self/fd/" + name))
    except OSError: pass`;
    const { stdout } = await python(source);
    const strange = stdout
      .split("\n")
      .filter((line) => line !== "" && !/^[012] |\/dev\/null$|\/proc\//.test(line));
    expect(strange).toEqual([]);
  });

  it("has no network, not even to this machine", async () => {
    let connections = 0;
    const server = createServer(() => {
      connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const source = `
import socket
def attempt(act):
    try:
        act()
        print("REACHED")
    except OSError as error:
        print("held")
attempt(lambda: socket.create_connection(("127.0.0.1", ${port}), 1))
attempt(lambda: socket.getaddrinfo("example.com", 80))
attempt(lambda: socket.create_connection(("192.0.2.1", 80), 1))
attempt(lambda: socket.socket(40, socket.SOCK_STREAM))
attempt(lambda: socket.socket(socket.AF_UNIX).connect("/run/dbus/system_bus_socket"))`;
    const { stdout } = await python(source);
    server.close();
    expect(stdout).not.toContain("REACHED");
    expect(stdout.match(/held/g)).toHaveLength(5);
    expect(connections).toBe(0);
  });

  it("writes nothing outside, neither straight nor through a symlink", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tutti-outside-"));
    const target = join(folder, "file");
    writeFileSync(target, "untouched");
    const source = `
import os
for path in (${JSON.stringify(target)}, "/tmp/link"):
    try:
        if path == "/tmp/link": os.symlink(${JSON.stringify(target)}, path)
        open(path, "w").write("changed")
    except OSError as error: print(type(error).__name__)
os.symlink("/etc/passwd", "/tmp/p")
print(os.path.exists("/tmp/p"), os.path.exists("/proc/1/root/etc/passwd"))`;
    const { stdout } = await python(source);
    expect(readFileSync(target, "utf8")).toBe("untouched");
    expect(stdout).toContain("False False");
    rmSync(folder, { recursive: true });
  });

  it("cannot end its parents", async () => {
    const source = `
import os, signal
for pid in (1, os.getppid(), ${process.pid}, -1):
    try: os.kill(pid, signal.SIGKILL)
    except OSError as error: print(type(error).__name__)
print("still here")`;
    const result = await python(source, { timeoutMs: 3_000 });
    expect(["ok", "error"]).toContain(result.exit);
    expect((await python("print(1)")).stdout).toBe("1\n");
  });

  it("limits a huge file", async () => {
    const source = `
import os
written = 0
try:
    for name in range(20):
        with open("/tmp/" + str(name), "wb") as file:
            for _ in range(100):
                written += file.write(bytes(1_000_000))
                file.flush()
except OSError: pass
finally: print(written)`;
    const { stdout } = await python(source);
    expect(Number(stdout)).toBeLessThan(70_000_000);
  });

  it("ends endless sleep, endless work and programs that ignore signals, on time", async () => {
    const programs = [
      "import time; time.sleep(1000)",
      "while True: pass",
      "import signal, time\nfor n in range(1, 64):\n    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass\nwhile True: time.sleep(1)",
    ];
    for (const source of programs) {
      const result = await python(source, { timeoutMs: 400 });
      expect(result.exit).toBe("timeout");
      expect(result.durationMs).toBeLessThan(60_000);
    }
  });

  it("leaves no daemon behind", async () => {
    const source = `
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True: time.sleep(1)
    os._exit(0)
print("left")`;
    const result = await python(source);
    expect(result).toMatchObject({ exit: "ok", stdout: "left\n" });
    expect(result.durationMs).toBeLessThan(60_000);
  });

  it("cannot make namespaces or look into other processes", async () => {
    const source = `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print(libc.unshare(0x10000000), libc.ptrace(16, 1, 0, 0), libc.syscall(272 if os.uname().machine == "x86_64" else 97, 0x10000000))
try: open("/proc/1/mem", "rb").read(1); print("READ")
except OSError: pass
try: os.chroot("/tmp"); print("ROOT")
except OSError: pass
try: os.setuid(0); print("ZERO")
except OSError: pass`;
    const { stdout } = await python(source);
    expect(stdout).toBe("-1 -1 -1\n");
  });

  it("is stopped by the caller's signal", async () => {
    const controller = new AbortController();
    const running = python("import time; time.sleep(100)", { signal: controller.signal });
    controller.abort();
    expect((await running).exit).toBe("aborted");
  });

  it("cannot pretend that the sandbox itself failed", async () => {
    const source = "import os, sys\nsys.stderr.write('bwrap: no\\n')\nsys.stderr.flush()\nos._exit(1)";
    expect(await python(source)).toMatchObject({ exit: "error", code: 1 });
  });
});
