// Requests that no honest client sends, from a seed: valid bodies of the three dialects with something broken, as JSON
// and as bytes. Pure.
const BODIES = [
  {
    path: "/v1/chat/completions",
    body: {
      model: "fake/plain",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "What is it?" }] },
      ],
      max_tokens: 20,
      temperature: 0.5,
      stop: ["END"],
      tools: [
        { type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } },
      ],
      metadata: { project: "x" },
      stream: false,
    },
  },
  {
    path: "/v1/chat/completions",
    body: {
      model: "tutti-fast",
      messages: [{ role: "user", content: "What is it?" }],
      response_format: { type: "json_schema", json_schema: { name: "x", schema: { type: "object" } } },
      tutti: { pool: "pair", budget_usd: 0.01, rounds: 1, max_calls: 2, deadline_ms: 2_000 },
      stream: true,
    },
  },
  {
    path: "/v1/responses",
    body: {
      model: "tutti-fast",
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "What is it?" }] }],
      max_output_tokens: 50,
      reasoning: { effort: "low" },
      text: { format: { type: "text" } },
      tools: [{ type: "function", name: "look", parameters: {} }],
      tutti: { pool: "pair", max_calls: 2, deadline_ms: 2_000 },
      store: true,
    },
  },
  {
    path: "/v1/messages",
    body: {
      model: "claude/plain",
      max_tokens: 50,
      system: [{ type: "text", text: "Be brief." }],
      messages: [{ role: "user", content: [{ type: "text", text: "What is it?" }] }],
      thinking: { type: "disabled" },
      stop_sequences: ["END"],
    },
  },
  {
    path: "/v1/messages/count_tokens",
    body: { model: "tutti", messages: [{ role: "user", content: "What is it?" }] },
  },
];

const VALUES = [
  null,
  true,
  -1,
  0,
  1e308,
  -1e308,
  2 ** 53,
  0.1,
  "",
  "x",
  "\u0000",
  "\ud800",
  "../../etc/passwd",
  "__proto__",
  "constructor",
  [],
  {},
  [[]],
  [null],
  { a: { b: {} } },
  { type: "text" },
  { __proto__: null, toString: 1 },
  "9".repeat(400),
  "é".repeat(3_000),
  Array(300).fill({}),
  { $ref: "#" },
  { pattern: "^(a+)+$", type: "string" },
];
const NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "then",
  "toJSON",
  "",
  "\u0000",
  "a".repeat(5_000),
];
const DEPTHS = [150, 201, 2_000, 60_000];
const ESCAPES = ["\\u0000", "\\ud800", "\\uDBFF\\uDFFF", "\\x", "\\"];

/** One request: its path and the bytes of its body. */
export function toMutated(random) {
  const { path, body } = random.pick(BODIES);
  const isBytes = random.next() < 0.35;
  let value = structuredClone(body);
  const count = isBytes ? random.integer(0, 1) : random.integer(1, 4);
  for (let i = 0; i < count; i++) value = mutateJson(random, value);
  const text = JSON.stringify(value) ?? "null";
  return { path, bytes: isBytes ? mutateBytes(random, text) : Buffer.from(text) };
}

function mutateJson(random, root) {
  const places = placesOf(root);
  if (places.length === 0) return root;
  const { holder, name } = random.pick(places);
  switch (random.integer(0, 7)) {
    case 0:
      delete holder[name];
      return root;
    case 1:
      if (Array.isArray(holder)) holder.push(...Array(random.pick([1, 50, 2_000])).fill(holder[name]));
      else holder[random.pick(NAMES)] = holder[name];
      return root;
    case 2: {
      let deep = random.pick(VALUES);
      for (let i = random.pick([10, 150, 250, 600]); i > 0; i--)
        deep = random.next() < 0.5 ? [deep] : { a: deep };
      holder[name] = deep;
      return root;
    }
    case 3: {
      const other = random.pick(places);
      holder[name] = structuredClone(other.holder[other.name]);
      return root;
    }
    case 4:
      // An own property of this name, as JSON can have it.
      return JSON.parse(`{"__proto__":{"isAdmin":true,"budget":null},${JSON.stringify(root).slice(1)}`);
    default:
      holder[name] = structuredClone(random.pick(VALUES));
      return root;
  }
}

function placesOf(root) {
  const places = [];
  const stack = [root];
  while (stack.length > 0 && places.length < 500) {
    const holder = stack.pop();
    for (const name of Object.keys(holder)) {
      places.push({ holder, name });
      if (typeof holder[name] === "object" && holder[name] !== null) stack.push(holder[name]);
    }
  }
  return places;
}

function mutateBytes(random, text) {
  const bytes = Buffer.from(text);
  const at = random.integer(0, bytes.length - 1);
  switch (random.integer(0, 7)) {
    case 0:
      return bytes.subarray(0, at);
    case 1: {
      const changed = Buffer.from(bytes);
      for (let i = random.integer(1, 8); i > 0; i--)
        changed[random.integer(0, bytes.length - 1)] = random.integer(0, 255);
      return changed;
    }
    case 2:
      // Bad UTF-8: a lone continuation, an overlong slash, a surrogate.
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(random.pick(["80", "c0af", "eda080", "f8888080"]), "hex"),
        bytes.subarray(at),
      ]);
    case 3:
      return Buffer.concat([Buffer.from("efbbbf", "hex"), bytes]);
    case 4:
      // The same name twice, with another value.
      return Buffer.from(`{"model":"tutti","model":${JSON.stringify(random.pick(VALUES))},${text.slice(1)}`);
    case 5: {
      const depth = random.pick(DEPTHS);
      return Buffer.from(`{"model":"tutti","messages":${"[".repeat(depth)}${"]".repeat(depth)}}`);
    }
    case 6: {
      const quote = text.indexOf('"', at);
      return Buffer.from(
        quote < 0 ? text : `${text.slice(0, quote + 1)}${random.pick(ESCAPES)}${text.slice(quote + 1)}`,
      );
    }
    default:
      return Buffer.from(text.replace(/\d+/, random.pick(["1e999", "-0", "0x10", "1".repeat(5_000), "NaN"])));
  }
}

/** A few that are as large as a body may be, or larger. */
export const LARGE = [
  ["a model's name of 30 MB", "/v1/chat/completions", () => `{"model":"${"x".repeat(30e6)}","messages":[]}`],
  ["the same with a slash", "/v1/responses", () => `{"model":"fake/${"x".repeat(30e6)}","input":"x"}`],
  [
    "a pool's name of 30 MB",
    "/v1/chat/completions",
    () =>
      `{"model":"tutti","messages":[{"role":"user","content":"x"}],"tutti":{"pool":"${"y".repeat(30e6)}"}}`,
  ],
  [
    "a tag's name of 20 MB",
    "/v1/messages",
    () => `{"model":"tutti","max_tokens":5,"messages":[],"metadata":{"${"z".repeat(20e6)}":"x"}}`,
  ],
  [
    "a tool's name of 10 MB",
    "/v1/chat/completions",
    () =>
      `{"model":"tutti-fast","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"${"t".repeat(10e6)}"}}]}`,
  ],
  ["40 MB of blanks", "/v1/chat/completions", () => " ".repeat(40e6)],
  [
    "a list of a million numbers",
    "/v1/chat/completions",
    () => `{"model":"tutti","messages":[${"1,".repeat(1e6)}1]}`,
  ],
  [
    "two million names",
    "/v1/messages",
    () => `{${Array.from({ length: 1e6 }, (_, i) => `"k${i}":1`).join(",")}}`,
  ],
];
