// A name of thirty megabytes at every place where a client may write one.
import { chat, createAttack, repeat, send } from "./stage/stage.mjs";

const LONG = "n".repeat(14_000_000);
const BODIES = [
  ["/v1/chat/completions", chat({ model: LONG })],
  ["/v1/messages", chat({ model: LONG, max_tokens: 9 })],
  ["/v1/responses", JSON.stringify({ model: LONG, input: "Hi" })],
  ["/v1/responses", JSON.stringify({ model: "tutti", input: "Hi", previous_response_id: `resp_${LONG}` })],
  ["/v1/chat/completions", chat({ tutti: { pool: LONG } })],
  ["/v1/chat/completions", chat({ tutti: { pool: Array(400_000).fill("p") } })],
  ["/v1/chat/completions", chat({ [LONG]: 1, model: "tuti" })],
  ["/v1/chat/completions", chat({ tool_choice: { type: "function", function: { name: LONG } } })],
  ["/v1/chat/completions", chat({ tools: [{ type: "function", function: { name: LONG } }] })],
];

export default createAttack({
  name: "names of 14 MB",
  tries: BODIES.length,
  attack: (target) =>
    repeat(target, { count: BODIES.length, atOnce: 1, forMs: 14_000 }, (i) =>
      send(target, BODIES[i][0], { body: BODIES[i][1] }),
    ),
});
