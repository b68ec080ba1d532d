// Programs that try to hold up, fill or leave QuickJS. Plain data, for tests and the attack suite: each is run with
// `runProgram({ language: "javascript", engine: "quickjs", source, ...HOSTILE_LIMITS })` and must be over within
// the deadline and a small grace, while the thread that asked goes on.

export interface HostileProgram {
  name: string;
  source: string;
  /**
   * "stopped": a limit must have ended it. "any": engines differ in how they refuse it, but it must be over.
   * "contained": it runs, and must print nothing but "contained".
   */
  must: "stopped" | "any" | "contained";
}

export const HOSTILE_LIMITS = { timeoutMs: 200, memoryMb: 64, maxOutputBytes: 100_000 };

const stopped = (name: string, source: string): HostileProgram => ({ name, source, must: "stopped" });
const any = (name: string, source: string): HostileProgram => ({ name, source, must: "any" });
/** `reach` is code that gives something of the host, or nothing. */
const contained = (name: string, reach: string): HostileProgram => ({
  name,
  source: `let got; try { got = (() => { ${reach} })(); } catch {} console.log(got ? "reached " + got : "contained");`,
  must: "contained",
});

export const HOSTILE_PROGRAMS: readonly HostileProgram[] = [
  // Built-in functions that walk a length they were told.
  stopped("indexOf on a length of 2^53", "Array.prototype.indexOf.call({ length: 2 ** 53 }, 1)"),
  stopped("lastIndexOf on a length of 2^53", "Array.prototype.lastIndexOf.call({ length: 2 ** 53 }, 1)"),
  stopped("includes on a length of 2^53", "Array.prototype.includes.call({ length: 2 ** 53 }, 1)"),
  stopped("reverse on a length of 2^53", "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })"),
  stopped("copyWithin on a length of 2^53", "Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1)"),
  stopped("shift on a length of 2^53", "Array.prototype.shift.call({ length: 2 ** 53 - 1 })"),
  stopped("unshift on a length of 2^50", "Array.prototype.unshift.call({ length: 2 ** 50 }, 1)"),
  stopped("splice on a length of 2^53", "Array.prototype.splice.call({ length: 2 ** 53 - 1 }, 0, 1)"),
  stopped("every on a length of 2^53", "Array.prototype.every.call({ length: 2 ** 53 - 1 }, () => true)"),
  stopped("fill on a length of 2^53", "Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 1)"),
  stopped("join of 2^32 - 1 holes", "new Array(2 ** 32 - 1).join()"),
  stopped("toString of 2^32 - 1 holes", "String(new Array(2 ** 32 - 1))"),
  stopped("flat of many holes", "[new Array(2 ** 32 - 1)].flat()"),
  stopped("sort of 2^32 - 1 holes", "new Array(2 ** 32 - 1).sort()"),
  any("Array.from of a length of 2^53", "Array.from({ length: 2 ** 53 - 1 })"),
  any("apply with 2^32 arguments", "Math.max.apply(null, { length: 2 ** 32 - 1 })"),
  // Patterns.
  stopped("a pattern that goes back and back", "/^(a+)+$/.test('a'.repeat(40) + 'b')"),
  stopped(
    "a pattern in replace",
    "'a'.repeat(40).replace(/(a|aa)+$|(a|a?)+b/g, 'x') + /(x+x+)+y/.test('x'.repeat(45))",
  ),
  stopped("split by a bad pattern", "('a'.repeat(50) + '!').split(/(a*)*(b)/)"),
  any("a pattern of 2^16 groups", "new RegExp('('.repeat(65536) + ')'.repeat(65536))"),
  // Loops that no function call interrupts, and some that catch.
  stopped("an endless loop", "for (;;);"),
  stopped("a loop that catches its own end", "for (;;) { try { for (;;); } catch {} finally { continue; } }"),
  stopped(
    "a generator that never ends",
    "const g = (function* () { for (;;) yield 1; })(); for (const x of g);",
  ),
  stopped("spreading an endless generator", "[...(function* () { for (;;) yield 1; })()]"),
  stopped(
    "an iterator that is never done",
    "new Set({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) })",
  ),
  stopped(
    "a proxy without end",
    "const p = new Proxy({}, { get: (t, k, r) => r[k + 'x'.repeat(9)], has: () => true }); for (;;) { try { p.x; } catch {} }",
  ),
  stopped(
    "a getter that calls itself in a loop",
    "const o = { get x() { try { return this.x; } catch { return this.x; } } }; for (;;) try { o.x } catch {}",
  ),
  stopped(
    "keys of a proxy with many",
    "Reflect.ownKeys(new Proxy({}, { ownKeys: () => Array.from({ length: 3e5 }, (_, i) => 'k' + i) })).map(() => { for (;;); })",
  ),
  stopped("a comparator that never ends", "[3, 1, 2].sort(() => { for (;;); })"),
  stopped(
    "a comparator that lies, on many",
    "for (;;) Array.from({ length: 1e5 }, (_, i) => i).sort(() => Math.random() - 0.5)",
  ),
  stopped("valueOf that never returns", "1 + { valueOf() { for (;;); } }"),
  stopped("toString in a key", "({})[{ toString() { for (;;); } }]"),
  // Promises.
  stopped("promises that make promises", "const f = () => Promise.resolve().then(f); f()"),
  stopped(
    "a storm of promises",
    "const f = () => { Promise.resolve().then(f); Promise.resolve().then(f); }; f()",
  ),
  stopped("an async loop", "(async () => { for (;;) await null; })()"),
  stopped("a thenable that never ends", "Promise.resolve({ then(done) { for (;;); } })"),
  // Depth.
  any("endless recursion", "const f = () => f() + 1; f()"),
  any("recursion through toString", "const o = { toString() { return '' + o; } }; '' + o"),
  any("recursion through JSON", "const o = { toJSON() { return JSON.stringify(o); } }; JSON.stringify(o)"),
  any("deep brackets", "eval('['.repeat(1e5) + ']'.repeat(1e5))"),
  any("deep JSON", "JSON.parse('['.repeat(1e6) + ']'.repeat(1e6))"),
  any(
    "a chain of 10^6 closures",
    "let f = () => 0; for (let i = 0; i < 1e6; i++) { const g = f; f = () => g(); } f()",
  ),
  // Memory.
  any("a list without end", "const all = []; for (;;) all.push(new Array(1000).fill({}))"),
  any("a text that doubles", "let s = 'x'; for (;;) s += s"),
  any("repeat to a gigabyte", "'abc'.repeat(2 ** 29).length"),
  any("padStart to a gigabyte", "'x'.padStart(2 ** 30 - 1, 'ab').length"),
  any("a typed array of 4 GB", "new Uint8Array(2 ** 32 - 1).fill(1)"),
  any("typed arrays without end", "const all = []; for (;;) all.push(new Float64Array(1e6).fill(1.5))"),
  any(
    "a buffer cut into many views",
    "const b = new ArrayBuffer(3e7); const all = []; for (;;) all.push(new DataView(b))",
  ),
  any("JSON that grows", "let v = 'x'; for (;;) v = JSON.stringify([v, v])"),
  any("a BigInt that doubles", "let n = 2n; for (;;) n *= n"),
  any("a power without end", "(2n ** 30000000n) ** 30n"),
  any("a map without end", "const m = new Map(); for (let i = 0; ; i++) m.set({}, m)"),
  any("symbols without end", "const o = {}; for (;;) o[Symbol('x'.repeat(100))] = 1"),
  any("a template called with much", "String.raw({ raw: { length: 2 ** 53 - 1 } })"),
  // Dates and texts.
  stopped("dates for ever", "for (;;) new Date(Math.random() * 1e15).toLocaleString()"),
  stopped("normalize for ever", "for (;;) 'é'.repeat(1e5).normalize('NFD')"),
  any(
    "localeCompare of long texts",
    "for (let i = 0; i < 1e6; i++) 'é'.repeat(1e5).localeCompare('e'.repeat(1e5))",
  ),
  // Output.
  stopped("output without end", "for (;;) console.log('x'.repeat(1000))"),
  stopped("one line as long as its memory", "console.log('x'.repeat(3e7))"),
  any("showing what holds itself", "const o = {}; o.o = [o, o, o, o, o, o]; console.log(o, o, o)"),
  // Ways out.
  contained(
    "a constructor's constructor",
    "return console.log.constructor.constructor('return process.mainModule || process.binding')();",
  ),
  contained("the module of the host", "return require('child_process') || require('node:fs').promises;"),
  contained("dynamic import", "let got; import('fs').then((m) => { got = m; }, () => {}); return got;"),
  contained(
    "the stack of an error",
    "Error.prepareStackTrace = (e, frames) => frames; const s = new Error().stack; return Array.isArray(s) && s[0].getThis && s[0].getThis();",
  ),
  contained(
    "what a caller left",
    "return (function f() { return f.caller || f.arguments.callee.caller; })();",
  ),
  contained(
    "names of the host",
    "return ['fetch', 'WebAssembly', 'Worker', 'SharedArrayBuffer', 'Atomics', 'std', 'os', 'Deno', 'Bun', 'global', 'Buffer', 'setTimeout', 'parentPort'].filter((n) => n !== 'SharedArrayBuffer' && n !== 'Atomics' && typeof globalThis[n] !== 'undefined')[0];",
  ),
  contained(
    "files and environment",
    "return Object.keys(process.env)[0] || require('fs').readFileSync('/etc/passwd');",
  ),
  contained(
    "a path of the host in an error",
    "try { null.x } catch (e) { return /\\/(?:home|root|work|usr|src|dist)\\//.exec(e.stack)?.[0]; }",
  ),
];
