// Hundreds of readers of a run's events that do not read, while its worker streams a million tiny pieces; run after run.
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createAttack, createTally } from "./stage/stage.mjs";

const READERS = 400;
const RUNS = 4;

export default createAttack({
  name: "readers that do not read",
  tries: RUNS * READERS,
  async attack(target) {
    const tally = createTally();
    const endsAt = performance.now() + 10_000;
    let bytes = 0;
    for (let run = 0; run < RUNS && performance.now() < endsAt; run++)
      bytes += await read(target, tally, endsAt);
    return { streamedMb: Math.round(bytes / 1e6), readers: tally.counts };
  },
});

/** One run with its readers; how many bytes its own client got. */
async function read(target, tally, endsAt) {
  const { hostname, port } = new URL(target.url);
  const authorization = `Bearer ${target.secrets.mallory}`;
  const response = await fetch(`${target.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json", "x-tutti-join": "off" },
    body: JSON.stringify({
      ...{ model: "tutti", stream: true, messages: [{ role: "user", content: "Hi" }] },
      tutti: { pool: ["stub/flood", "stub/planner"] },
    }),
    signal: target.signal,
  });
  const path = `/v1/runs/${response.headers.get("x-tutti-run-id")}/events`;
  const sockets = Array.from({ length: READERS }, () => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`);
    socket.once("data", (head) => {
      tally.add(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? "broken");
      socket.pause();
    });
    return socket.on("error", () => {});
  });
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (performance.now() > endsAt) break;
  }
  await wait(500);
  for (const socket of sockets) socket.destroy();
  return bytes;
}
