// Replies of four megabytes that are kept for a repeat, each under an idempotency key of its own.
import { chat, createAttack, repeat, send } from "./stage/stage.mjs";

const MOST_MB = 700;

export default createAttack({
  name: "idempotency copies of 4 MB",
  tries: 300,
  async attack(target) {
    const body = chat({ model: "stub/large" });
    const told = await repeat(target, { count: 300, atOnce: 8 }, (i) =>
      send(target, "/v1/chat/completions", { body, headers: { "idempotency-key": `k${i}` } }),
    );
    const memoryMb = target.memoryMb();
    if (memoryMb > MOST_MB) throw new Error(`the gateway grew to ${memoryMb} MB`);
    return told;
  },
});
