// What runs beside a Python program in its sandbox. Nothing here decides whether an answer is right: the
// case driver reports what the program did, and the two sides of a check sit in two sandboxes.
// Kept as text because the sandbox gets its files over pipes, and lean because start-up is most of the time.

/** Makes installed packages visible only where something outside the standard library is imported. */
const PACKAGES = `
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
 * by itself. Reads: "mark style milliseconds", then texts, each after its length in bytes: the name that is called,
 * what comes before the program, the program, and the inputs.
 */
export const CASE_DRIVER = `
import os, sys
import signal
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
    for index, text in enumerate(inputs):
        files = open_case(style, text)
        pid = os.fork()
        if pid == 0:
            os.close(report)
            be_case(style, entry, before, code, text, files)
        status = wait_for(pid, int(milliseconds) / 1000)
        try:
            os.killpg(pid, 9)
        except OSError:
            pass
        if status is None:
            os.waitpid(pid, 0)
        out, err = (open(name, "rb").read() for name in ("/tmp/.case-out", "/tmp/.case-err"))
        for file in files:
            os.close(file)
        code_number = -1 if status is None else os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        say(index, "timeout" if status is None else "done", code_number, out, err[-2000:])
        if code_number != 0:
            return

main()
`;

/** Values as JSON: plain ones by value, all others as a number that only the program's side can look up. */
const CODEC = `
import json

def encode(value, keep):
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if isinstance(value, tuple):
        return {"$": "tuple", "v": [encode(each, keep) for each in tuple.__iter__(value)]}
    if isinstance(value, list):
        return [encode(each, keep) for each in list.__iter__(value)]
    if isinstance(value, dict):
        return {"$": "dict", "v": [[encode(key, keep), encode(each, keep)] for key, each in dict.items(value)]}
    if isinstance(value, frozenset):
        return {"$": "frozenset", "v": [encode(each, keep) for each in value]}
    if isinstance(value, set):
        return {"$": "set", "v": [encode(each, keep) for each in value]}
    if isinstance(value, (bytes, bytearray)):
        return {"$": kind.__name__ if kind in (bytes, bytearray) else "bytes", "v": list(value)}
    if isinstance(value, complex):
        return {"$": "complex", "v": [value.real, value.imag]}
    if isinstance(value, (int, float, str)):
        return [base(value) for base in (int, float, str) if isinstance(value, base)][0]
    if kind.__name__ in ("Fraction", "Decimal") and kind.__module__ in ("fractions", "decimal"):
        return {"$": kind.__name__, "v": str(value)}
    if hasattr(value, "tolist"):
        return encode(value.tolist(), keep)
    if hasattr(value, "__next__"):
        return {"$": "iterator", "v": [encode(each, keep) for _, each in zip(range(100000), value)]}
    return {"$": "remote", "v": keep(value)}

def decode(value, find):
    if isinstance(value, list):
        return [decode(each, find) for each in value]
    if not isinstance(value, dict):
        return value
    kind, inner = value["$"], value["v"]
    if kind == "remote":
        return find(inner)
    if kind == "dict":
        return {decode(key, find): decode(each, find) for key, each in inner}
    if kind in ("Fraction", "Decimal"):
        return getattr(__import__("fractions" if kind == "Fraction" else "decimal"), kind)(inner)
    if kind == "complex":
        return complex(*inner)
    make = {"tuple": tuple, "set": set, "frozenset": frozenset, "bytes": bytes, "bytearray": bytearray, "iterator": iter}
    return make[kind]([decode(each, find) for each in inner])
`;

/** The program's side of a check: does what it is asked, line by line. First line: what to load. */
export const PROGRAM_SIDE = `
import os, sys
${PACKAGES}${CODEC}
def main():
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    task = json.loads(requests.readline())
    kept = []

    def keep(value):
        kept.append(value)
        return len(kept) - 1

    scope = type(sys)("__main__")
    sys.modules["__main__"] = scope
    problem = None
    add_packages(task["source"])
    try:
        before = compile(task["before"], "before.py", "exec", 0, True)
    except BaseException:
        before = None
    try:
        if before:
            exec(before, scope.__dict__)
        exec(compile(task["source"], "main.py", "exec", 0, True), scope.__dict__)
    except BaseException as error:
        problem = error
    for line in requests:
        request = json.loads(line)
        try:
            if problem is not None:
                raise problem
            if "names" in request:
                known = scope.__dict__
                value = {name: known[name] for name in request["names"] if name in known}
                if "Solution" in known and request["entry"] not in known:
                    value[request["entry"]] = getattr(known["Solution"](), request["entry"])
            elif "get" in request:
                value = getattr(kept[request["of"]], request["get"])
            else:
                find = kept.__getitem__
                value = kept[request["call"]](*decode(request["args"], find), **decode(request["named"], find))
            reply = {"v": encode(value, keep)}
        except BaseException as error:
            reply = {"e": [type(error).__name__, str(error)[:500]]}
        replies.write(request["id"] + " " + json.dumps(reply) + "\\n")
        replies.flush()

main()
`;

/**
 * The check's side: runs the check with stand-ins for what the program defines, and says how it went on
 * standard error, which the program cannot reach. A stand-in equals nothing but itself, and the names that
 * Python, the standard library or the task itself define are never taken from the program.
 */
export const CHECK_SIDE = `
import builtins, os, sys
import re
${PACKAGES}${CODEC}
class Gone(BaseException):
    pass

class Raised(Exception):
    pass

def main():
    replies = os.fdopen(os.dup(0), "r", encoding="utf-8")
    requests = os.fdopen(os.dup(1), "w", encoding="utf-8")
    verdict = os.dup(2)
    null = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    task = json.loads(replies.readline())
    remotes = {}

    class Remote:
        def __init__(self, number):
            object.__setattr__(self, "number", number)

        def __call__(self, *args, **named):
            return ask({"call": self.number, "args": encode(list(args), keep), "named": encode(named, keep)})

        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            return ask({"of": self.number, "get": name})

        def __repr__(self):
            return "<a value of the program>"

    def keep(value):
        if isinstance(value, Remote):
            return value.number
        raise TypeError("a " + type(value).__name__ + " cannot be handed to the program")

    def find(number):
        return remotes.setdefault(int(number), Remote(int(number)))

    def ask(request):
        request["id"] = os.urandom(8).hex()
        try:
            requests.write(json.dumps(request) + "\\n")
            requests.flush()
            line = replies.readline()
            while line and not line.startswith(request["id"]):
                line = replies.readline()
        except OSError:
            line = ""
        if not line:
            raise Gone()
        reply = json.loads(line[len(request["id"]):])
        if "e" in reply:
            name, text = reply["e"]
            kind = getattr(builtins, str(name), None)
            is_plain = isinstance(kind, type) and issubclass(kind, Exception) and kind is not ImportError
            if not is_plain or issubclass(kind, (ImportError, UnicodeError)):
                raise Raised(str(name) + ": " + str(text))
            error = kind(str(text))
            error.from_program = True
            raise error
        return decode(reply["v"], find)

    def run():
        scope = {"__name__": "__main__"}
        try:
            exec(task["before"], scope)
        except BaseException:
            scope = {"__name__": "__main__"}
        words = set(re.findall(r"[A-Za-z_][A-Za-z_0-9]*", task["check"]))
        standard = getattr(sys, "stdlib_module_names", ())
        for word in words:
            if word in standard and word not in scope and re.search(r"\\b" + word + r"\\.", task["check"]):
                scope[word] = __import__(word)
        wanted = [word for word in words if word not in scope and not hasattr(builtins, word)]
        found = ask({"names": wanted + [task["entry"]], "entry": task["entry"]})
        if task["entry"] and task["entry"] not in found:
            raise NameError("the program does not define " + task["entry"])
        # Only what was asked for: else the program could slip in its own "len".
        scope.update((name, found[name]) for name in wanted + [task["entry"]] if name in found)
        if task["entry"]:
            scope["candidate"] = found[task["entry"]]
        add_packages(task["check"])
        exec(compile(task["check"], "check.py", "exec", 0, True), scope)
        if re.search(r"^def check\\(", task["check"], re.M) and not re.search(r"^check\\(", task["check"], re.M):
            scope["check"](found[task["entry"]])

    result = {"ok": False}
    try:
        run()
        result = {"ok": True}
    except Gone:
        result["gone"] = True
    except BaseException as error:
        text = type(error).__name__ + ": " + str(error)
        step = error.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename == "check.py":
                lines = task["check"].splitlines()
                if step.tb_lineno <= len(lines):
                    result["line"] = lines[step.tb_lineno - 1].strip()
            step = step.tb_next
        result["why"] = text
        if isinstance(error, ModuleNotFoundError):
            result["module"] = error.name
    os.write(verdict, ("\\n" + task["mark"] + json.dumps(result) + "\\n").encode())
    os._exit(0)

main()
`;
