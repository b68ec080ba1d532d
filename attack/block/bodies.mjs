// The largest bodies that are taken, sixteen at a time, by one key: of letters, of escapes, of characters that take long
// to decode, as an image in a question to a team, and passed through to one model.
import { setTimeout as wait } from "node:timers/promises";
import { chat, createAttack, repeat, send } from "./stage/stage.mjs";

const SIZE = 15_500_000;
const text = (unit, size = SIZE) => unit.repeat(Math.floor(size / Buffer.byteLength(unit)));
const image = (url) => [
  {
    role: "user",
    content: [
      { type: "text", text: "Hi" },
      { type: "image_url", image_url: { url } },
    ],
  },
];
const BODIES = [
  chat({ model: "stub/alpha", x: text("base64 ") }),
  chat({ x: text("😀") }),
  `{"model":"tutti","messages":[{"role":"user","content":"x"}],"x":"${text("\\n")}"}`,
  chat({ model: "stub/alpha", messages: image(`data:image/png;base64,${text("abcd")}`) }),
  chat({
    messages: image(`data:image/png;base64,${text("abcd", 7_900_000)}`),
    tutti: { workflow: { steps: [{ worker: 0, subtask: "Answer.", access: [] }] } },
  }),
];

/** Encoded once: the attacker is not to be busier than the gateway. */
const BYTES = BODIES.map((body) => Buffer.from(body));

export default createAttack({
  name: "the largest bodies, sixteen at once",
  tries: 200,
  attack: (target) =>
    repeat(target, { count: 200, atOnce: 16 }, async (i) => {
      const status = await send(target, "/v1/chat/completions", { body: BYTES[i % BYTES.length] });
      // As it is told: one that never waits only measures how fast it is refused.
      if (status === 429 || status === "broken") await wait(500);
      return status;
    }),
});
