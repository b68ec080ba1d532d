// A provider that streams a million pieces, or one line of 64 MB, to several clients at once.
import { chat, createAttack, repeat, send } from "./stage/stage.mjs";

const CASES = ["flood", "line"].flatMap((model) => [
  chat({ model: `stub/${model}`, stream: true }),
  chat({ stream: true, tutti: { pool: [`stub/${model}`, "stub/planner"] } }),
]);

export default createAttack({
  name: "endless pieces and endless lines of a provider",
  tries: 16,
  attack: (target) =>
    repeat(target, { count: 16, atOnce: 4 }, (i) =>
      send(target, "/v1/chat/completions", {
        body: CASES[i % CASES.length],
        headers: { "x-tutti-join": "off" },
      }),
    ),
});
