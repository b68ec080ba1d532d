// The stub provider: three dialects, the rules of the real ones, and a bill. Simulated: what answers is coder.mjs.

import { once } from "node:events";
import { createServer } from "node:http";
import { act } from "./coder.mjs";
import { createLedger, PRICES } from "./ledger.mjs";
import { READERS } from "./read-request.mjs";
import { checkBreakpoints, checkCalls, checkThoughts, Refused, sign } from "./rules.mjs";
import { WRITERS } from "./write-reply.mjs";

const DIALECTS = { "/v1/chat/completions": "chat", "/v1/messages": "messages", "/v1/responses": "responses" };

/** `folder`: where the agent works, for the paths in the calls of tools. */
export async function startProvider({ folder }) {
  const ledger = createLedger();
  const refusals = [];
  /** Ids of calls to the signature of the thought before them. */
  const issued = new Map();
  let count = 0;

  function answer(dialect, body) {
    const model = String(body.model);
    if (!(model in PRICES)) throw new Refused(`No model ${model}`);
    const read = READERS[dialect](body);
    if (dialect === "messages") checkBreakpoints(read.prompt);
    checkCalls(read.entries);
    checkThoughts(read.entries, issued, read);
    const id = `${++count}`.padStart(8, "0");
    const { text = "", thought, call } = act({ ...read, folder });
    const isThought = thought && (read.isThinking || dialect === "chat");
    const reply = {
      text,
      thought: isThought ? thought : undefined,
      call: call && { ...call, id: `call_${id}` },
    };
    if (reply.call && read.isThinking) issued.set(reply.call.id, sign(reply.thought));
    const purpose = call ? "turn" : read.tools.length > 0 ? "answer" : "side";
    const usage = ledger.bill({ model, purpose, prompt: read.prompt, reply: JSON.stringify(reply) });
    return { body, id, ...reply, usage };
  }

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://stub");
    const dialect = DIALECTS[pathname];
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (!dialect) {
      response
        .writeHead(404, { "content-type": "application/json" })
        .end('{"error":{"message":"no such route"}}');
      return;
    }
    try {
      WRITERS[dialect](response, answer(dialect, JSON.parse(Buffer.concat(chunks).toString())));
    } catch (error) {
      refusals.push(`${dialect}: ${error.message}`);
      const body = { type: "error", error: { type: "invalid_request_error", message: error.message } };
      response.writeHead(error instanceof Refused ? 400 : 500, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** What was billed, a line for each request. */
    lines: ledger.lines,
    /** What it would not take, in its own words. */
    refusals,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
