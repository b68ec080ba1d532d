// The load: connections that stay open, each with one request under way at a time, over plain sockets. Our own,
// because the usual tools count in whole milliseconds and take a core for themselves, which on a small machine
// is taken from the servers. Reads its orders from the command line and prints what it saw as one line of JSON.
// `rampSeconds`: its connections begin one after the other, and what is asked until then is not counted. `keepsEach` tells the
// number and the time of each request. `patienceSeconds`: how long the last ones are waited for. `bearers`: keys that the
// connections take in turns, all equally long.
import { connect } from "node:net";

const {
  url,
  headers,
  body,
  connections,
  seconds,
  requests = Number.POSITIVE_INFINITY,
  rampSeconds = 0,
  patienceSeconds = 5,
  keepsEach = false,
  bearers = [],
} = JSON.parse(process.argv[2]);
const { hostname, port, pathname } = new URL(url);
const payloads = (bearers.length > 0 ? bearers : [undefined]).map(toTemplate);

function toTemplate(bearer) {
  const lines = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(bearer === undefined ? [] : [`authorization: Bearer ${bearer}`]),
    "",
    body,
  ];
  return Buffer.from(lines.join("\r\n"));
}
// No two requests are the same: a gateway may answer a repeat from the first one, and that is not measured here.
const numberAt = payloads[0].indexOf("########");
const toName = (number) =>
  String(process.pid * 1_000_000 + number)
    .slice(-8)
    .padStart(8, "0");
const toPayload = (number, lane) => {
  const bytes = Buffer.from(payloads[lane % payloads.length]);
  bytes.write(toName(number), numberAt, "latin1");
  return bytes;
};
const BREAK = Buffer.from("\r\n\r\n");
const DATA = Buffer.from("data: {");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

const delaysMs = [];
const firstEventsMs = [];
const each = [];
const failures = {};
let started = 0;
const beganAt = performance.now();
const countsFrom = beganAt + rampSeconds * 1000;
const endsAt = countsFrom + seconds * 1000;
const isOver = () => performance.now() >= endsAt || started >= requests;
const fail = (reason) => {
  failures[reason] = (failures[reason] ?? 0) + 1;
};

async function run(_, lane) {
  if (rampSeconds > 0) await new Promise((go) => setTimeout(go, (rampSeconds * 1000 * lane) / connections));
  await new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    let sentAt = 0;
    let reply;
    const ask = () => {
      if (isOver()) return socket.end();
      started += 1;
      reply = { bytes: Buffer.alloc(0), head: -1, length: -1, isSeen: false, number: started };
      sentAt = performance.now();
      socket.write(toPayload(started, lane));
    };
    socket.on("connect", ask);
    socket.on("data", (chunk) => {
      reply.bytes = reply.bytes.length === 0 ? chunk : Buffer.concat([reply.bytes, chunk]);
      if (reply.head < 0) {
        reply.head = reply.bytes.indexOf(BREAK);
        if (reply.head < 0) return;
        const head = reply.bytes.toString("latin1", 0, reply.head);
        const length = /^content-length: *(\d+)/im.exec(head);
        reply.length = length ? Number(length[1]) : -1;
        reply.isOk = head.startsWith("HTTP/1.1 200 ");
        if (!reply.isOk) fail(head.slice(9, 12));
      }
      if (!reply.isSeen && reply.bytes.includes(DATA, reply.head)) {
        reply.isSeen = true;
        firstEventsMs.push(performance.now() - sentAt);
      }
      const isWhole =
        reply.length >= 0
          ? reply.bytes.length >= reply.head + 4 + reply.length
          : reply.bytes.subarray(-5).equals(LAST_CHUNK);
      if (!isWhole) return;
      const ms = performance.now() - sentAt;
      if (reply.isOk && sentAt >= countsFrom) {
        delaysMs.push(ms);
        if (keepsEach) each.push([toName(reply.number), ms]);
      }
      ask();
    });
    socket.on("error", (error) => fail(error.code ?? error.message));
    socket.on("close", resolve);
    setTimeout(
      () => {
        if (!socket.destroyed) fail("too late");
        socket.destroy();
      },
      endsAt - performance.now() + patienceSeconds * 1000,
    ).unref();
  });
}
await Promise.all(Array.from({ length: connections }, run));
const tookSeconds = (performance.now() - countsFrom) / 1000;

const at = (values, share) => values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? null;
delaysMs.sort((a, b) => a - b);
firstEventsMs.sort((a, b) => a - b);
console.log(
  JSON.stringify({
    requests: delaysMs.length,
    perSecond: delaysMs.length / tookSeconds,
    p50Ms: at(delaysMs, 0.5),
    p99Ms: at(delaysMs, 0.99),
    firstEventP50Ms: at(firstEventsMs, 0.5),
    firstEventP99Ms: at(firstEventsMs, 0.99),
    failures,
    ...(keepsEach && { each }),
  }),
);
