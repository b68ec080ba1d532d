// Requests that no honest client sends, from a seed: random bytes, good bodies with something broken, odd paths,
// methods and headers, and what is no HTTP at all. Each is the bytes of one connection.
const DOORS = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];
const BODIES = [
  {
    model: "tutti",
    messages: [{ role: "user", content: "mark-0 What is it?" }],
    temperature: 0.5,
    stream: true,
  },
  { model: "tutti", input: "mark-0 What is it?", max_output_tokens: 50, metadata: { project: "x" } },
  {
    model: "tutti",
    max_tokens: 50,
    messages: [{ role: "user", content: [{ type: "text", text: "mark-0" }] }],
  },
];
const PATHS = [
  ...DOORS,
  "/v1/runs",
  "/v1/runs/r_x",
  "/v1/runs/r_x/events",
  "/v1/usage",
  "/v1/models",
  "/v1/responses/resp_x",
  "/v1/responses/resp_x/cancel",
  "/v1/messages/count_tokens",
  "/",
];
const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "BREW", "CONNECT"];
const HEADERS = [
  "authorization",
  "x-api-key",
  "idempotency-key",
  "last-event-id",
  "content-type",
  "x-a",
  "accept",
];
const VALUES = [null, true, -1, 1e308, "", "x", [], {}, [[]], { a: { b: {} } }, "\u0000", "__proto__"];

/** What came back must be: "http": a 4xx; "any": a 4xx or a closed socket. */
export function toGarbage(random) {
  const kind = random.pick(["bytes", "body", "body", "body", "path", "headers", "raw", "cut"]);
  switch (kind) {
    case "bytes":
      return { kind, bytes: toRequest("POST", random.pick(DOORS), toBytes(random, random.integer(0, 400))) };
    case "body":
      return { kind, bytes: toRequest("POST", random.pick(DOORS), Buffer.from(toBrokenBody(random))) };
    case "path":
      return { kind, bytes: toRequest(random.pick(METHODS), toPath(random), Buffer.alloc(0)) };
    case "headers":
      return {
        kind,
        bytes: toRequest("POST", random.pick(DOORS), Buffer.from("{"), [
          `${random.pick(HEADERS)}: ${toBytes(random, random.integer(0, 60)).toString("latin1")}`,
        ]),
      };
    case "raw":
      return {
        kind,
        bytes: Buffer.concat([toBytes(random, random.integer(1, 300)), Buffer.from("\r\n\r\n")]),
      };
    default: {
      const whole = toRequest("POST", random.pick(DOORS), Buffer.from(JSON.stringify(random.pick(BODIES))));
      return { kind, bytes: whole.subarray(0, random.integer(1, whole.length - 1)) };
    }
  }
}

function toRequest(method, path, body, headers = []) {
  const head = [
    `${method} ${path} HTTP/1.1`,
    "host: localhost",
    `content-length: ${body.length}`,
    "connection: close",
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), body]);
}

function toBytes(random, length) {
  return Buffer.from(Array.from({ length }, () => random.integer(0, 255)));
}

/** Always something that is refused: a model that is not there, a type that is wrong, or text that is no JSON. */
function toBrokenBody(random) {
  const body = structuredClone(random.pick(BODIES));
  const text = JSON.stringify(body);
  switch (random.integer(0, 4)) {
    case 0:
      return text.slice(0, random.integer(0, text.length - 1));
    case 1: {
      const at = random.integer(0, text.length - 1);
      return `${text.slice(0, at)}${random.pick(["\u0000", "}", "\\", '"', "\ud800"])}`;
    }
    case 2:
      return JSON.stringify({ ...body, model: random.pick([...VALUES, "tuti", "a/b", "x".repeat(9_000)]) });
    case 3:
      return JSON.stringify({
        ...body,
        messages: random.pick([-1, "x", {}, [7]]),
        input: random.pick([-1, true, {}]),
      });
    default: {
      const depth = random.integer(300, 20_000);
      return `{"model":"tutti","messages":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    }
  }
}

function toPath(random) {
  const path = random.pick(PATHS);
  const tail = random.pick([
    "",
    "/..",
    "/%2e%2e/etc/passwd",
    "/%",
    "/%00",
    "?limit=x",
    "?group=&format=",
    "//",
    "/é",
    "#",
    "?a[]=1",
  ]);
  return random.next() < 0.2 ? `/${toBytes(random, 20).toString("base64url")}${tail}` : path + tail;
}
