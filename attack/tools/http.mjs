// One request over node:http: it takes any bytes and any headers, never throws, and is always bounded in time. An
// attacker's client is not a polite one.
import { Agent, request as httpRequest } from "node:http";

const TIMEOUT_MS = 20_000;
const MOST_BYTES = 4_000_000;
export const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/**
 * `body`: an object (sent as JSON), text or bytes. `abortAfterMs` or `abortOnData` end it early.
 * Gives { status, text, headers }; status 0 is a connection that failed or was ended.
 */
export function send(url, { method, body, headers = {}, timeoutMs = TIMEOUT_MS, ...early } = {}) {
  return new Promise((resolve) => {
    const isRaw = typeof body === "string" || Buffer.isBuffer(body);
    const bytes = body === undefined ? undefined : isRaw ? body : JSON.stringify(body);
    let text = "";
    let size = 0;
    let reply;
    const done = (error) => {
      clearTimeout(timer);
      clearTimeout(abort);
      resolve({ status: reply?.statusCode ?? 0, headers: reply?.headers ?? {}, text, error });
    };
    let request;
    // Without an error of its own: the socket may be back with the agent, where nobody listens for one.
    const leave = (why) => {
      request?.destroy();
      done(why);
    };
    const timer = setTimeout(() => leave("timeout"), timeoutMs);
    const abort =
      early.abortAfterMs === undefined ? undefined : setTimeout(() => leave("left"), early.abortAfterMs);
    try {
      request = httpRequest(url, {
        agent,
        method: method ?? (bytes === undefined ? "GET" : "POST"),
        headers: {
          ...(bytes !== undefined && {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(bytes),
          }),
          ...headers,
        },
      });
    } catch (error) {
      return done(error.message);
    }
    request.on("error", (error) => done(error.message));
    request.on("response", (response) => {
      reply = response;
      response.on("data", (chunk) => {
        size += chunk.length;
        if (text.length < MOST_BYTES) text += chunk.toString("latin1");
        if (early.abortOnData || size > 20 * MOST_BYTES) leave("left");
      });
      response.on("end", () => done());
      response.on("error", (error) => done(error.message));
      response.on("close", () => done());
    });
    request.end(bytes);
  });
}

export function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `work(i)` for each number below `count`, `atOnce` at a time, ended early when the time is over. */
export async function repeat(count, atOnce, work, { untilMs = Number.POSITIVE_INFINITY } = {}) {
  let next = 0;
  const lane = async () => {
    while (next < count && performance.now() < untilMs) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
  return next;
}
