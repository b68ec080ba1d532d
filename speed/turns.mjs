// What a turn of a long agent loop takes, at its beginning and at its end, and how the journal grows: one conversation of
// many turns in each dialect, each turn a call of a tool and its result, beside a provider that answers at once. The same
// conversation through the barest proxy says what of the growth is the price of the bytes themselves. A process compiles
// what runs often while it runs: with --warm so many conversations come before the one that is measured, else the first is.
// Run: npm run build && node speed/turns.mjs [--turns 300] [--warm 0] [--measured 1] [--model tutti-fast]
//   [--only bare,chat,messages,responses]
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startServer } from "./gateway/servers.mjs";

const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "300" },
    warm: { type: "string", default: "0" },
    measured: { type: "string", default: "1" },
    model: { type: "string", default: "tutti-fast" },
    only: { type: "string" },
    result: { type: "string", default: "2000" },
  },
});
const turns = Number(values.turns);
const [warm, measured] = [Number(values.warm), Number(values.measured)];
/** So many turns are averaged: the first fifth warms up, and is not among them. */
const WINDOW = Math.max(1, Math.floor(turns / 10));
const EARLY = Math.floor(turns / 10);
/** As much as a file that was read, or what a test printed. */
const toResult = (turn) =>
  `${turn}: ${"a line of what a tool has returned\n".repeat(60)}`.slice(0, Number(values.result));
const QUESTION = "Read the files one after the other.";
const PARAMETERS = { type: "object", properties: { path: { type: "string" } } };

const DIALECTS = {
  chat: {
    path: "/v1/chat/completions",
    first: [{ role: "user", content: QUESTION }],
    ask: (messages) => ({
      messages,
      tools: [{ type: "function", function: { name: "read", parameters: PARAMETERS } }],
    }),
    next: ({ choices: [{ message }] }, turn) => [
      message,
      ...message.tool_calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: toResult(turn) })),
    ],
  },
  messages: {
    path: "/v1/messages",
    first: [{ role: "user", content: QUESTION }],
    ask: (messages) => ({ messages, max_tokens: 1000, tools: [{ name: "read", input_schema: PARAMETERS }] }),
    next: ({ content }, turn) => [
      { role: "assistant", content },
      {
        role: "user",
        content: content.flatMap(({ type, id }) =>
          type === "tool_use" ? [{ type: "tool_result", tool_use_id: id, content: toResult(turn) }] : [],
        ),
      },
    ],
  },
  responses: {
    path: "/v1/responses",
    first: [{ role: "user", content: QUESTION }],
    ask: (input) => ({ input, tools: [{ type: "function", name: "read", parameters: PARAMETERS }] }),
    next: ({ output }, turn) => [
      ...output,
      ...output.flatMap(({ type, call_id }) =>
        type === "function_call" ? [{ type: "function_call_output", call_id, output: toResult(turn) }] : [],
      ),
    ],
  },
};

DIALECTS.bare = { ...DIALECTS.chat, isBare: true };

/** Behind the barest proxy the provider streams, whatever it was asked for. */
function readReply(text) {
  if (!text.startsWith("data:")) return JSON.parse(text);
  const { choices } = JSON.parse(text.slice("data:".length, text.indexOf("\n")));
  return { choices: [{ message: { ...choices[0].delta, role: "assistant" } }] };
}

const quantile = (share) => (numbers) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)];
const median = quantile(0.5);
const mean = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
/** What it takes where other work on the machine is not in the way; without the larger collections of garbage. */
const undisturbed = quantile(0.1);

async function measure(dialect, home) {
  const { path, first, ask, next, isBare = false } = DIALECTS[dialect];
  const upstream = await startServer("./tool-upstream.mjs");
  const gateway = isBare
    ? await startServer("./bare-proxy.mjs", upstream.url)
    : await startServer("./tutti.mjs", upstream.url, home);
  const headers = { "content-type": "application/json", "x-tutti-progress": "off" };
  const journal = join(home, "journal.db");
  const sizeOf = (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  /** Of the turns of all conversations that are measured. */
  const [early, late] = [[], []];
  let size = 0;
  const journalSizes = [];
  const journalSize = () => sizeOf(journal) + sizeOf(`${journal}-wal`);
  async function converse(number) {
    // Another conversation begins with other words.
    const conversation = first.map((message) => ({ ...message, content: `${message.content} (${number})` }));
    for (let turn = 0; turn < turns; turn++) {
      const body = JSON.stringify({ model: values.model, ...ask(conversation) });
      const cpuMs = gateway.cpuMs();
      const startedAt = performance.now();
      const response = await fetch(`${gateway.url}${path}`, { method: "POST", headers, body });
      const reply = readReply(await response.text());
      const took = { delay: performance.now() - startedAt, cpu: gateway.cpuMs() - cpuMs };
      if (!response.ok) throw new Error(`turn ${turn}: ${JSON.stringify(reply)}`);
      if (number >= warm && turn >= EARLY && turn < EARLY + WINDOW) early.push(took);
      if (number >= warm && turn >= turns - WINDOW) late.push(took);
      conversation.push(...next(reply, turn));
      if (turn === Math.floor(turns / 2)) journalSizes.push(journalSize());
    }
    size = JSON.stringify(conversation).length;
    journalSizes.push(journalSize());
  }
  try {
    for (let number = 0; number < warm + measured; number++) await converse(number);
  } finally {
    await gateway.stop();
    await upstream.stop();
  }
  const of = (list, what, quantileOf) => quantileOf(list.map((each) => each[what]));
  const growth = of(late, "cpu", median) / of(early, "cpu", median) - 1;
  return {
    "ms, early": of(early, "delay", median).toFixed(1),
    "ms, late": of(late, "delay", median).toFixed(1),
    "CPU ms, early": of(early, "cpu", median).toFixed(2),
    "CPU ms, late": of(late, "cpu", median).toFixed(2),
    "growth, CPU": `${(100 * growth).toFixed(0)} %`,
    "mean CPU ms, early": of(early, "cpu", mean).toFixed(2),
    "mean CPU ms, late": of(late, "cpu", mean).toFixed(2),
    "undisturbed CPU ms, early": of(early, "cpu", undisturbed).toFixed(2),
    "undisturbed CPU ms, late": of(late, "cpu", undisturbed).toFixed(2),
    "said, MB": (size / 1e6).toFixed(2),
    "journal half way, MB": (journalSizes.at(-2) / 1e6).toFixed(2),
    "journal, MB": (journalSizes.at(-1) / 1e6).toFixed(2),
  };
}

const table = {};
for (const dialect of values.only?.split(",") ?? ["bare", "chat", "messages", "responses"]) {
  const home = mkdtempSync(join(tmpdir(), "tutti-turns-"));
  try {
    table[dialect] = await measure(dialect, home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
console.table(table);
