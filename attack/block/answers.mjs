// Runs of four megabytes, read again by every route that shows one: whole, as messages, as events, as a response,
// cancelled after they are over, and named in another request as often as it may.
import { createAttack, repeat, send } from "./stage/stage.mjs";

const RUNS = 4;
const LENGTH = 3_900_000;
const REFERENCES = 450;

export default createAttack({
  name: "runs of 4 MB, read again",
  tries: 3_000,
  config: { limits: { usd: null } },
  async attack(target) {
    const ids = [];
    for (let i = 0; i < RUNS; i++) ids.push(await askAtLength(target, i));
    const [first] = ids;
    const tail = first.replace(/^r_/, "");
    const input = Array.from({ length: REFERENCES }, (_, i) => ({
      type: "item_reference",
      id: `msg_${tail}_${i + 1}`,
    }));
    const paths = ids.flatMap((id) => {
      const response = `resp_${id.replace(/^r_/, "")}`;
      return [
        ["GET", `/v1/runs/${id}`],
        ["GET", `/v1/runs/${id}/messages`],
        ["GET", `/v1/runs/${id}/events`],
        ["GET", `/v1/responses/${response}`],
        ["GET", `/v1/responses/${response}?stream=true`],
        ["GET", `/v1/responses/${response}/input_items`],
        ["POST", `/v1/runs/${id}/cancel`],
        ["POST", `/v1/responses/${response}/cancel`],
      ];
    });
    const references = JSON.stringify({ model: "tutti", input: [...input, { role: "user", content: "Hi" }] });
    return repeat(target, { count: 3_000, atOnce: 16, forMs: 6_000 }, async (i) => {
      if (i % 20 === 7) return send(target, "/v1/responses", { body: references });
      const [method, path] = paths[i % paths.length];
      return send(target, path, method === "POST" ? { body: "{}" } : {});
    });
  },
});

async function askAtLength(target, i) {
  const response = await fetch(`${target.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${target.secrets.mallory}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "tutti",
      input: `${i} ${"x".repeat(LENGTH)}`,
      tutti: { pool: ["stub/alpha", "stub/planner"] },
    }),
    signal: target.signal,
  });
  const text = await response.text();
  if (response.status !== 200)
    throw new Error(
      `the run of ${LENGTH} characters was answered with ${response.status} ${text.slice(0, 300)}`,
    );
  return response.headers.get("x-tutti-run-id");
}
