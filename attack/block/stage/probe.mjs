// A process of its own that asks /health every ten milliseconds and says how long it took, so that nothing of the
// attacker's own work is in what it measures. It asks on while earlier requests wait: a gateway that is blocked for a
// second is seen by a hundred samples, not by one.
import { Agent, get } from "node:http";

const EVERY_MS = 10;
const LATEST_MS = 20_000;
const url = `${process.argv[2]}/health`;
// Some connections that are opened at first and stay: Node takes one new connection in each turn of its event loop, so a
// probe that opened one for each sample would measure the queue that it makes itself.
const SOCKETS = 16;
const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
let times = [];
/** When those were asked that are not answered yet. */
const pending = new Set();
let failures = 0;

for (let i = 1; i < SOCKETS; i++) sample();
setInterval(sample, EVERY_MS);

function sample() {
  const askedAt = performance.now();
  pending.add(askedAt);
  const request = get(url, { agent, timeout: LATEST_MS }, (response) => {
    response.resume().on("end", () => {
      pending.delete(askedAt);
      times.push(performance.now() - askedAt);
    });
    if (response.statusCode !== 200) failures++;
  });
  request.on("timeout", () => request.destroy(new Error("no answer")));
  request.on("error", () => {
    pending.delete(askedAt);
    failures++;
  });
}

/** Any message: what was seen since the last one. Who still waits has waited that long. */
process.on("message", () => {
  const now = performance.now();
  const sorted = [...times, ...Array.from(pending, (askedAt) => now - askedAt)].toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
  process.send({ samples: sorted.length, failures, p50: at(0.5), p99: at(0.99), max: at(1) });
  times = [];
  failures = 0;
});
