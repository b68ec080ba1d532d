// Bytes over a bare socket: what no HTTP client would send, and what came back until the other side closed or a
// whole response was there.

import { connect } from "node:net";

export interface RawReply {
  /** 0: the socket was closed without a response. */
  status: number;
  head: string;
  body: string;
}

export interface RawOptions {
  /** Says that nothing more will come, as a client does that has sent all it has. */
  end?: boolean;
  /** The client is gone as soon as its bytes are sent. */
  leave?: boolean;
}

const PATIENCE_MS = 10_000;

export function sendRaw(
  url: string,
  pieces: (string | Buffer) | (string | Buffer)[],
  { end = false, leave = false }: RawOptions = {},
): Promise<RawReply> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let text = "";
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer within ${PATIENCE_MS} ms, only: ${text.slice(0, 200)}`));
    }, PATIENCE_MS);
    const done = () => {
      clearTimeout(late);
      socket.destroy();
      resolve(parseReply(text));
    };
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      text += chunk;
      if (isWhole(text)) done();
    });
    // Whoever refuses to read on may reset the connection, after its answer.
    socket.on("error", () => {}).on("close", done);
    for (const piece of [pieces].flat())
      socket.write(typeof piece === "string" ? Buffer.from(piece, "latin1") : piece);
    if (end) socket.end();
    if (leave) socket.once("drain", () => socket.destroy()).end(() => socket.destroy());
  });
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  const head = text.slice(0, Math.max(end, 0));
  if (/^transfer-encoding: chunked/im.test(head)) return text.endsWith("0\r\n\r\n");
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  return length !== undefined && text.length - end - 4 >= Number(length);
}

function parseReply(text: string): RawReply {
  const end = text.indexOf("\r\n\r\n");
  const head = end < 0 ? text : text.slice(0, end);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    head,
    body: end < 0 ? "" : Buffer.from(text.slice(end + 4), "latin1").toString("utf8"),
  };
}
