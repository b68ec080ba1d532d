// What a turn of a long agent loop takes, at its beginning and at its end, and how the journal grows: one conversation of
// many turns in each dialect, each turn a call of a tool and its result, beside a provider that answers at once. The same
// conversation through the barest proxy says what of the growth is the price of the bytes themselves. Early and late turns are
// asked in turns, of two conversations side by side, so that a machine that is busy now and then is so for both; the first pair
// of conversations is not counted, because a process compiles what runs often while it runs.
// Run: npm run build && node speed/turns.mjs [--turns 300] [--pairs 4] [--model tutti-fast] [--only bare,chat,messages,responses]
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startServer } from "./gateway/servers.mjs";

const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "300" },
    pairs: { type: "string", default: "4" },
    model: { type: "string", default: "tutti-fast" },
    only: { type: "string" },
    result: { type: "string", default: "2000" },
  },
});
const turns = Number(values.turns);
const pairs = Number(values.pairs);
/** So many turns of each are measured: the early ones begin behind as many others. */
const WINDOW = Math.max(1, Math.floor(turns / 10));
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
  const journalSize = () => sizeOf(journal) + sizeOf(`${journal}-wal`);
  /** A conversation that goes on by a turn each time it is called. */
  function converse(name) {
    // Another conversation begins with other words.
    const conversation = first.map((message) => ({ ...message, content: `${message.content} (${name})` }));
    let turn = 0;
    return async () => {
      const body = JSON.stringify({ model: values.model, ...ask(conversation) });
      const cpuMs = gateway.cpuMs();
      const startedAt = performance.now();
      const response = await fetch(`${gateway.url}${path}`, { method: "POST", headers, body });
      const reply = readReply(await response.text());
      const took = { delay: performance.now() - startedAt, cpu: gateway.cpuMs() - cpuMs, size: body.length };
      if (!response.ok) throw new Error(`turn ${turn}: ${JSON.stringify(reply)}`);
      conversation.push(...next(reply, turn++));
      return took;
    };
  }
  const [early, late] = [[], []];
  try {
    for (let pair = 0; pair < pairs; pair++) {
      const [short, long] = [converse(`short ${pair}`), converse(`long ${pair}`)];
      for (let turn = 0; turn < WINDOW; turn++) await short();
      for (let turn = 0; turn < turns - WINDOW; turn++) await long();
      for (let turn = 0; turn < WINDOW; turn++) {
        const both = [await short(), await long()];
        if (pair === 0 && pairs > 1) continue;
        early.push(both[0]);
        late.push(both[1]);
      }
    }
  } finally {
    await gateway.stop();
    await upstream.stop();
  }
  const journalBytes = journalSize();
  const of = (list, what, quantileOf) => quantileOf(list.map((each) => each[what]));
  const growth = (quantileOf) =>
    `${(100 * (of(late, "cpu", quantileOf) / of(early, "cpu", quantileOf) - 1)).toFixed(0)} %`;
  return {
    "ms, early": of(early, "delay", median).toFixed(1),
    "ms, late": of(late, "delay", median).toFixed(1),
    "CPU ms, early": of(early, "cpu", median).toFixed(2),
    "CPU ms, late": of(late, "cpu", median).toFixed(2),
    growth: growth(median),
    "undisturbed CPU ms, early": of(early, "cpu", undisturbed).toFixed(2),
    "undisturbed CPU ms, late": of(late, "cpu", undisturbed).toFixed(2),
    "growth, undisturbed": growth(undisturbed),
    "mean CPU ms, early": of(early, "cpu", mean).toFixed(2),
    "mean CPU ms, late": of(late, "cpu", mean).toFixed(2),
    "body, MB": (late.at(-1).size / 1e6).toFixed(2),
    "journal, MB": (journalBytes / 1e6).toFixed(2),
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
