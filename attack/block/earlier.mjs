// Requests of some bytes that go on from a conversation of four megabytes, four hundred at once, with a model that never ends.
import { createAttack, repeat, send } from "./stage/stage.mjs";
export default createAttack({
  name: "small requests that go on from 4 MB",
  tries: 400,
  config: { limits: { usd: null } },
  async attack(target) {
    const response = await fetch(`${target.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${target.secrets.mallory}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "tutti",
        input: "x".repeat(3_900_000),
        tutti: { pool: ["stub/alpha", "stub/planner"] },
      }),
      signal: target.signal,
    });
    const { id } = await response.json();
    return repeat(target, { count: 400, atOnce: 400, forMs: 10_000 }, (i) =>
      send(target, "/v1/responses", {
        body: JSON.stringify({
          model: "tutti",
          previous_response_id: id,
          input: `again ${i}`,
          tutti: { pool: ["stub/drip", "stub/planner"] },
        }),
      }),
    );
  },
});
