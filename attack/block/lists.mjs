// Lists of very many small things: messages behind the last answer, tools, calls of tools, and what only costs to parse.
import { chat, createAttack, repeat, send } from "./stage/stage.mjs";

const SIZE = 14_000_000;
const many = (item) =>
  `[${Array(Math.floor(SIZE / (item.length + 1)))
    .fill(item)
    .join(",")}]`;
const numbered = (count, item) => `[${Array.from({ length: count }, (_, i) => item(i)).join(",")}]`;
const call = (i) => `{"type":"function_call","call_id":"call_a_0_${i}","name":"f","arguments":"{}"}`;
const tool = (i) => `{"type":"function","function":{"name":"f${i}"}}`;
const BODIES = [
  ["/v1/chat/completions", `{"model":"tutti","messages":${many('{"role":"user","content":"x"}')}}`],
  ["/v1/responses", `{"model":"tutti","input":${numbered(100_000, call)}}`],
  [
    "/v1/chat/completions",
    `{"model":"tutti","messages":[{"role":"user","content":"x"}],"tools":${numbered(100_000, tool)}}`,
  ],
  [
    "/v1/chat/completions",
    `{"model":"stub/alpha","messages":[{"role":"user","content":"x"}],"x":${many("{}")}}`,
  ],
  [
    "/v1/messages",
    `{"model":"tutti","max_tokens":9,"messages":[{"role":"user","content":${many('{"type":"text","text":"x"}')}}]}`,
  ],
  [
    "/v1/chat/completions",
    chat({ metadata: Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`k${i}`, "v"])) }),
  ],
];

export default createAttack({
  name: "lists of a hundred thousand and more",
  tries: BODIES.length,
  attack: (target) =>
    repeat(target, { count: BODIES.length, atOnce: 1, forMs: 14_000 }, (i) =>
      send(target, BODIES[i][0], { body: BODIES[i][1] }),
    ),
});
