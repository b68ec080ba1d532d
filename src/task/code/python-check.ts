// The two sides of a check in Python, each for a sandbox of its own: the program's side does what it is
// asked, the check's side asks and compares. They talk in JSON lines, and values cross by copy.
import { PACKAGES } from "./python.ts";

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
BaseExceptionGroup = getattr(builtins, "BaseExceptionGroup", ImportError)

class Gone(BaseException):
    pass

class Raised(Exception):
    pass

class Unfit(BaseException):
    pass

# In Python's own functions these end a loop instead of being an error: all(map(check, cases)) would be true.
ENDS_LOOPS = (StopIteration, StopAsyncIteration)

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
        raise Unfit("the check hands a " + type(value).__name__ + " to the program, which nothing of the check may enter")

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
        try:
            reply = json.loads(line[len(request["id"]):])
            name, text = map(str, reply["e"]) if "e" in reply else ("", "")
            value = None if name else decode(reply["v"], find)
        except BaseException:
            # Not what our side of the program writes: it never looks like an error or a value of the program.
            raise Gone() from None
        if name:
            kind = getattr(builtins, name, None)
            is_plain = isinstance(kind, type) and issubclass(kind, Exception)
            if not is_plain or issubclass(kind, (ImportError, UnicodeError, BaseExceptionGroup, *ENDS_LOOPS)):
                raise Raised(name + ": " + text)
            raise kind(text)
        return value

    def run():
        scope = {"__name__": "__main__"}
        exec(task["imports"], scope)
        usual_names = dict(scope)
        try:
            exec(task["before"], scope)
        except BaseException:
            scope = usual_names
        words = set(re.findall(r"[A-Za-z_][A-Za-z_0-9]*", task["check"]))
        standard = getattr(sys, "stdlib_module_names", ())
        usual = {"np": "numpy", "numpy": "numpy", "pd": "pandas", "pandas": "pandas"}
        add_packages(task["check"], *("import " + usual[word] for word in words if word in usual))
        for word in words:
            if (word in standard or word in usual) and word not in scope and re.search(r"\\b" + word + r"\\.", task["check"]):
                scope[word] = __import__(usual.get(word, word))
        wanted = [word for word in words if word not in scope and not hasattr(builtins, word)]
        found = ask({"names": wanted + [task["entry"]], "entry": task["entry"]})
        if task["entry"] and task["entry"] not in found:
            raise NameError("the program does not define " + task["entry"])
        # Only what was asked for: else the program could slip in its own "len".
        scope.update((name, found[name]) for name in wanted + [task["entry"]] if name in found)
        if task["entry"]:
            scope["candidate"] = found[task["entry"]]
        exec(compile(task["check"], "check.py", "exec", 0, True), scope)
        if re.search(r"^def check\\(", task["check"], re.M) and not re.search(r"^check\\(", task["check"], re.M):
            scope["check"](found[task["entry"]])

    result = {"ok": False}
    try:
        run()
        result = {"ok": True}
    except Gone:
        result["gone"] = True
    except Unfit as error:
        result["unfit"] = str(error)
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
