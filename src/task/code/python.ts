// What runs beside a Python program in its sandbox. Nothing here decides whether an answer is right: this
// reports what the program did with each case.
// Kept as text because the sandbox gets its files over pipes, and lean because start-up is most of the time.

/** Makes installed packages visible only where something outside the standard library is imported. */
export const PACKAGES = `
def add_packages(*sources):
    known = getattr(sys, "stdlib_module_names", ())
    for source in sources:
        for line in source.splitlines():
            words = line.split(None, 2)
            if len(words) > 1 and words[0] in ("import", "from"):
                names = words[1:] if words[0] == "from" else " ".join(words[1:]).split(",")
                for name in names[:1] if words[0] == "from" else names:
                    root = name.strip().split(" ")[0].split(".")[0]
                    if root and root not in known:
                        import site
                        site.main()
                        return
`;

/**
 * Runs each case in a fork of its own, with its own clock, and reports after a mark: "case status code", what
 * came out, the mark with a minus, the end of what came on standard error. Stops at the first case that fails
 * by itself. Between two cases every process but this one is killed and every file is removed, also the ones that
 * this sandbox began with: nothing that a program leaves in one case helps it in the next. Reads: "mark style milliseconds", then texts, each after its length in bytes: the name that is called,
 * what comes before the program, the program, and the inputs.
 */
export const CASE_DRIVER = `
import os, sys
import _signal as signal
from time import monotonic
${PACKAGES}
def read_parts():
    data = open(0, "rb", closefd=False).read()
    at = data.index(b"\\n")
    yield data[:at].decode()
    at += 1
    while at < len(data):
        end = data.index(b"\\n", at)
        size = int(data[at:end])
        yield data[end + 1:end + 1 + size].decode("utf-8", "surrogatepass")
        at = end + 1 + size

def find_entry(scope, entry):
    if entry in scope:
        return scope[entry]
    if "Solution" in scope:
        return getattr(scope["Solution"](), entry)
    raise NameError("the program does not define " + entry)

def to_plain(value):
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "__iter__"):
        return list(value)
    raise TypeError("a " + type(value).__name__ + " is not JSON")

def run(style, entry, before, code, text, result):
    main = type(sys)("__main__")
    sys.modules["__main__"] = main
    scope = main.__dict__
    if before:
        exec(before, scope)
    if style == "stdin":
        exec(code, scope)
        return
    exec(code[0] if style == "inside" else code, scope)
    if style == "inside":
        exec(code[1], scope)
        os.write(result, text.encode())
        return
    import json
    value = find_entry(scope, entry)(*json.loads(text))
    os.write(result, json.dumps(value, default=to_plain).encode())

def kill_others():
    # The first process of the sandbox reaches all others, whatever group or session they went to, and inherits them.
    if os.getpid() != 1:
        return
    try:
        os.kill(-1, 9)
    except OSError:
        pass
    try:
        while True:
            os.waitpid(-1, 0)
    except OSError:
        pass

def wipe(folder):
    os.chmod(folder, 0o700)
    for entry in list(os.scandir(folder)):
        if entry.is_dir(follow_symlinks=False):
            wipe(entry.path)
            os.rmdir(entry.path)
        else:
            os.unlink(entry.path)

def clean():
    """Whether nothing is left. A tree too deep to be removed is a reason to stop."""
    kill_others()
    try:
        for folder in ("/tmp", "/dev/shm"):
            wipe(folder)
            for name in os.listxattr(folder):
                os.removexattr(folder, name)
            os.utime(folder, (0, 0))
        return True
    except BaseException:
        return False

def read_back(file):
    os.lseek(file, 0, 0)
    with open(file, "rb", closefd=False) as stream:
        return stream.read()

def open_case(style, text):
    files = [os.open("/tmp/.case-" + name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600) for name in ("in", "out", "err")]
    if style == "stdin":
        with open(files[0], "wb", closefd=False) as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        os.lseek(files[0], 0, 0)
    return files

def be_case(style, entry, before, code, text, files):
    os.setpgid(0, 0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(files[0] if style == "stdin" else null, 0)
    os.dup2(files[1] if style == "stdin" else null, 1)
    os.dup2(files[2], 2)
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.argv = ["main.py"]
    status = 0
    try:
        run(style, entry, before, code, text, files[1])
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
        if style != "stdin":
            os.write(2, b"SystemExit: the program ended itself\\n")
            status = status or 1
    except BaseException:
        sys.__excepthook__(*sys.exc_info())
        status = 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        status = status or 1
    os._exit(status & 255)

def wait_for(pid, seconds):
    deadline = monotonic() + seconds
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        left = deadline - monotonic()
        if left <= 0:
            return None
        signal.sigtimedwait({signal.SIGCHLD}, left)

def main():
    head, entry, before, source, check, *inputs = read_parts()
    mark, style, milliseconds = head.split(" ")
    report = os.dup(1)

    def say(index, status, code, out, err):
        lines = "\\n" + mark + "%d %s %d\\n" % (index, status, code)
        data = lines.encode() + out + ("\\n-" + mark).encode() + err
        while data:
            data = data[os.write(report, data):]

    try:
        code = compile(source, "main.py", "exec", 0, True)
        if style == "inside":
            code = (code, compile(check, "check.py", "exec", 0, True))
    except BaseException as error:
        return say(0, "syntax", 1, b"", (type(error).__name__ + ": " + str(error)).encode("utf-8", "replace"))
    try:
        before = compile(before, "before.py", "exec", 0, True)
    except BaseException:
        before = None
    add_packages(source, check)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    clean()
    for index, text in enumerate(inputs):
        files = open_case(style, text)
        pid = os.fork()
        if pid == 0:
            os.close(report)
            be_case(style, entry, before, code, text, files)
        status = wait_for(pid, int(milliseconds) / 1000)
        is_clean = clean()
        out, err = read_back(files[1]), read_back(files[2])
        for file in files:
            os.close(file)
        code_number = -1 if status is None else os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        if code_number == 0 and not is_clean:
            code_number, err = 1, b"the program left files that cannot be removed"
        say(index, "timeout" if status is None else "done", code_number, out, err[-2000:])
        if code_number != 0:
            return

main()
`;
