// What runs beside a JavaScript program in its sandbox, in Node and in QuickJS alike: the program's side does
// what it is asked, the check's side asks. The two never share a world: values cross as data, and functions of the
// check never do. Nothing on the program's side decides anything; what it says are the program's own words.

/** Values as JSON: plain ones by value, all others as a number that only the program's side can look up. */
const CODEC = `
function encode(value, keep) {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") {
    return Number.isFinite(value) && !Object.is(value, -0) ? value : { $: "number", v: Object.is(value, -0) ? "-0" : String(value) };
  }
  if (value === undefined) return { $: "undefined" };
  if (typeof value === "bigint") return { $: "bigint", v: String(value) };
  if (typeof value !== "object") return keep(value);
  if (Array.isArray(value)) return Array.from(value, (each) => encode(each, keep));
  const pairs = (entries) => entries.map(([key, each]) => [encode(key, keep), encode(each, keep)]);
  if (value instanceof Map) return { $: "map", v: pairs([...value]) };
  if (value instanceof Set) return { $: "set", v: [...value].map((each) => encode(each, keep)) };
  if (value instanceof Date) return { $: "date", v: value.getTime() };
  const parent = Object.getPrototypeOf(value);
  if (parent === null || parent === Object.prototype) return { $: "object", v: pairs(Object.entries(value)) };
  return keep(value);
}
function decode(value, find) {
  if (Array.isArray(value)) return value.map((each) => decode(each, find));
  if (value === null || typeof value !== "object") return value;
  const { $: kind, v: inner } = value;
  if (kind === "number") return Number(inner);
  if (kind === "undefined") return undefined;
  if (kind === "bigint") return BigInt(inner);
  if (kind === "date") return new Date(inner);
  if (kind === "remote") return find(value);
  const parts = inner.map((each) => decode(each, find));
  if (kind === "map") return new Map(parts);
  if (kind === "set") return new Set(parts);
  const object = {};
  for (const [key, each] of parts) {
    // Awaiting it would hand the check's own functions to the program.
    if (key === "then" && typeof each === "function") throw new TypeError("a value with a then is not data");
    Object.defineProperty(object, key, { value: each, writable: true, enumerable: true, configurable: true });
  }
  return object;
}
`;

/** Defines \`answer(request)\`. \`evaluate\` runs text where the program's own top-level names are seen. */
const ANSWER = `
const kept = [];
const keep = (value) => ({ $: "remote", v: kept.push(value) - 1 });
const find = (value) => kept[value.v];
const isName = /^[A-Za-z_$][\\w$]*$/;
function lookUp(name) {
  try {
    const value = isName.test(name) ? evaluate("typeof " + name + ' === "undefined" ? undefined : ' + name) : undefined;
    if (value !== undefined) return value;
  } catch {
    // The words of a check hold keywords, too.
    return undefined;
  }
  const exported = globalThis.module && globalThis.module.exports;
  if (exported && exported[name] !== undefined) return exported[name];
  const solution = name === undefined ? undefined : evaluate('typeof Solution === "function" ? new Solution() : undefined');
  if (solution && typeof solution[name] === "function") return solution[name].bind(solution);
  return typeof exported === "function" && exported;
}
function perform(request) {
  if (request.names) {
    const found = {};
    for (const name of request.names) {
      const value = lookUp(name);
      if (value !== undefined && value !== false) found[name] = value;
    }
    return found;
  }
  if (request.entry !== undefined) {
    const target = lookUp(request.entry);
    if (typeof target !== "function") throw new ReferenceError("the program does not define " + request.entry);
    return target(...request.args);
  }
  const target = kept[request.of];
  if (request.get !== undefined) {
    const value = target[request.get];
    return typeof value === "function" ? value.bind(target) : value;
  }
  const args = decode(request.args, find);
  return request.isNew ? new target(...args) : target(...args);
}
const toError = (error) => ({ e: [String((error && error.name) || "Error"), String((error && error.message) || error).slice(0, 500)] });
const { parse, stringify } = JSON;
const NOT_JSON = [Promise, Map, Set, WeakMap, WeakSet];
const refuseOthers = (key, value) => {
  const kind = typeof value === "object" ? NOT_JSON.find((each) => value instanceof each)?.name : typeof value === "function" && "function";
  if (kind) throw new TypeError("a " + kind + " is not JSON");
  return value;
};
const toReply = (request, value) => (request.isPlain ? { j: stringify(value, refuseOthers) } : { v: encode(value, keep) });
`;

const LINES = `
let rest = Buffer.alloc(0);
function readLine() {
  for (;;) {
    const at = rest.indexOf(10);
    if (at >= 0) {
      const line = rest.toString("utf8", 0, at);
      rest = rest.subarray(at + 1);
      return line;
    }
    const chunk = Buffer.alloc(65536);
    const size = readSync(0, chunk);
    if (size === 0) return undefined;
    rest = Buffer.concat([rest, chunk.subarray(0, size)]);
  }
}
`;

/** The program's side in Node. Reads JSON lines: what to load, then requests; answers with lines. */
export const PROGRAM_SIDE = `
"use strict";
const { readSync, writeSync } = require("node:fs");
const vm = require("node:vm");
${LINES}function say(text) {
  let data = Buffer.from(text);
  while (data.length > 0) data = data.subarray(writeSync(1, data));
}
const evaluate = (text) => vm.runInThisContext(text);
${CODEC}${ANSWER}
async function main() {
  const task = JSON.parse(readLine());
  process.stdout.write = process.stderr.write = () => true;
  globalThis.require = require;
  globalThis.module = { exports: {} };
  globalThis.exports = globalThis.module.exports;
  let problem;
  try {
    vm.runInThisContext(task.source, { filename: "main.js", timeout: task.timeoutMs });
  } catch (error) {
    problem = toError(error);
  }
  for (let line = readLine(); line !== undefined; line = readLine()) {
    const request = JSON.parse(line);
    let reply = problem;
    try {
      if (!reply) {
        globalThis[task.mark] = () => perform(request);
        let value = vm.runInThisContext("globalThis[" + JSON.stringify(task.mark) + "]()", { timeout: task.timeoutMs });
        const isPromise = value instanceof Promise;
        if (isPromise) value = await value;
        reply = toReply(request, value);
        if (isPromise) reply.isPromise = true;
      }
    } catch (error) {
      reply = error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? { e: ["Timeout", ""] } : toError(error);
    }
    say(request.id + " " + JSON.stringify(reply) + "\\n");
    if (request.isPlain && reply.e) break;
  }
  process.exit(0);
}
main();
`;

/**
 * Defines \`bind(task)\`, which makes stand-ins for what the program defines; \`ask(request)\` is the way to it, and
 * \`giveUp(why)\` ends a check that cannot be carried out with any program.
 */
const BIND = `
// Of test frameworks: a program that brings its own must not be what it is tested with.
const NEVER_FROM_PROGRAM = "assert test it describe expect suite should chai jest vi sinon before after beforeEach afterEach beforeAll afterAll".split(" ");
const numbers = new WeakMap();
const remotes = new Map();
function find(value) {
  if (!remotes.has(value.v)) {
    const call = (args, isNew) => ask({ of: value.v, isNew, args: encode(args, keep) });
    const remote = new Proxy(function () {}, {
      apply: (_, self, args) => call(args, false),
      construct: (_, args) => Object(call(args, true)),
      get: (_, key) => (typeof key === "string" && key !== "then" ? ask({ of: value.v, get: key }) : undefined),
    });
    remotes.set(value.v, remote);
    numbers.set(remote, value.v);
  }
  return remotes.get(value.v);
}
function keep(value) {
  if (numbers.has(value)) return { $: "remote", v: numbers.get(value) };
  return giveUp("the check hands a " + (typeof value === "object" ? "value of its own kind" : typeof value) + " to the program, which nothing of the check may enter");
}
const ERRORS = { TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError };
function receive(reply) {
  if (reply.e) {
    const [name, text] = reply.e.map(String);
    const error = new (Object.hasOwn(ERRORS, name) ? ERRORS[name] : Error)(text);
    error.name = name;
    if (reply.isPromise) return Promise.reject(error);
    throw error;
  }
  const value = decode(reply.v, find);
  return reply.isPromise ? Promise.resolve(value) : value;
}
function bind(task) {
  const words = [...new Set(task.check.match(/[A-Za-z_$][\\w$]*/g) || [])];
  const wanted = words.filter((word) => word !== task.entry && !(word in globalThis) && !NEVER_FROM_PROGRAM.includes(word));
  const found = ask({ names: task.entry ? [task.entry, ...wanted] : wanted });
  const given = (name) => Object.hasOwn(found, name);
  if (task.entry && !given(task.entry)) throw new ReferenceError("the program does not define " + task.entry);
  // Only what was asked for: else the program could slip in its own "JSON".
  for (const name of [...wanted, ...(task.entry ? [task.entry] : [])]) {
    if (given(name)) Object.defineProperty(globalThis, name, { value: found[name], writable: true, configurable: true });
  }
  if (task.entry) Object.defineProperty(globalThis, "candidate", { value: found[task.entry], writable: true, configurable: true });
}
`;

/** The check's side in Node: says how it went on standard error, which the program cannot reach. */
export const CHECK_SIDE = `
"use strict";
const { readSync, writeSync } = require("node:fs");
const { randomBytes } = require("node:crypto");
const vm = require("node:vm");
${LINES}const task = JSON.parse(readLine());
function finish(result) {
  writeSync(2, "\\n" + task.mark + JSON.stringify(result) + "\\n");
  process.reallyExit(0);
}
function ask(request) {
  const id = randomBytes(8).toString("hex");
  let line;
  try {
    let data = Buffer.from(JSON.stringify({ ...request, id }) + "\\n");
    while (data.length > 0) data = data.subarray(writeSync(1, data));
    do line = readLine();
    while (line !== undefined && !line.startsWith(id));
  } catch {}
  if (line === undefined) finish({ ok: false, gone: true });
  return receive(JSON.parse(line.slice(id.length)));
}
${CODEC}${BIND}
const giveUp = (why) => finish({ ok: false, unfit: why });
const fail = (error) => finish({ ok: false, why: String((error && error.name) || "Error") + ": " + String((error && error.message) || error) });
process.stdout.write = process.stderr.write = () => true;
process.on("uncaughtException", fail);
process.on("unhandledRejection", fail);
process.on("exit", () => finish({ ok: false, why: "the check ended the process" }));
let isPending = false;
process.once("beforeExit", () => finish(isPending ? { ok: false, why: "Error: the check never finished" } : { ok: true }));
globalThis.require = require;
for (const name of require("node:module").builtinModules) {
  // What a check uses without asking for it comes from Node, never from the program.
  if (!(name in globalThis) && new RegExp("\\\\b" + name + "\\\\b").test(task.check)) globalThis[name] = require(name);
}
try {
  bind(task);
  const value = vm.runInThisContext(task.check, { filename: "check.js" });
  if (value instanceof Promise) {
    isPending = true;
    value.then(() => { isPending = false; }, fail);
  }
} catch (error) {
  fail(error);
}
`;

/**
 * The program's side in QuickJS, evaluated before the program: \`(text)\` gives what the request came to as it is, and
 * \`(text, [value])\` the reply as text. Two steps, because only the host can see whether a promise has settled.
 */
export const QUICKJS_PROGRAM_SIDE = `
(() => {
  const globalEval = eval;
  const evaluate = (text) => globalEval(text);
  ${CODEC}${ANSWER}
  return (text, ...values) => (values.length > 0 ? stringify(toReply(parse(text), values[0])) : perform(parse(text)));
})()
`;

/** The check's side in QuickJS: throws where the check does, and gives what the check's last line gave. */
export const QUICKJS_CHECK_SIDE = `
(send, text) => {
  const task = JSON.parse(text);
  const ask = (request) => receive(JSON.parse(send(JSON.stringify(request))));
  const giveUp = (unfit) => send(JSON.stringify({ unfit }));
  ${CODEC}${BIND}
  bind(task);
  return (0, eval)(task.check);
}
`;
