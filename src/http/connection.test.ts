import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import { sendRaw } from "../testing/gateway/raw-http.ts";
import { Connection } from "./connection.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(answer: (connection: Connection) => unknown): Promise<string> {
  server = createServer((incoming, outgoing) => void answer(new Connection(incoming, outgoing)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the connection after an answer", () => {
  const hello = (connection: Connection) => connection.json(200, { hello: true });

  it("is kept where nothing of the request is left, also when the answer comes at once", async () => {
    const url = await serve(hello);
    for (const request of [
      "GET / HTTP/1.1\r\nhost: x\r\n\r\n",
      "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n",
    ])
      expect((await sendRaw(url, request)).head.toLowerCase()).toContain("connection: keep-alive");
  });

  it("is closed where a body that nobody read is left", async () => {
    const url = await serve(hello);
    const request = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n";
    expect((await sendRaw(url, request)).head.toLowerCase()).toContain("connection: close");
    const chunked = "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    expect((await sendRaw(url, chunked)).head.toLowerCase()).toContain("connection: close");
  });
});

describe("a body", () => {
  it.each([3, 600_000, 3_000_000])("of %d bytes is read whole, declared or not", async (bytes) => {
    const url = await serve(async (connection) =>
      connection.json(200, {
        sum: (await connection.readBody(4_000_000)).reduce((sum, byte) => sum + byte, 0),
      }),
    );
    const body = Buffer.alloc(bytes, 7);
    const streamed = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes; at += 100_000) controller.enqueue(body.subarray(at, at + 100_000));
        controller.close();
      },
    });
    for (const sent of [body, streamed]) {
      const response = await fetch(url, { method: "POST", body: sent, duplex: "half" } as RequestInit);
      expect(await response.json()).toEqual({ sum: bytes * 7 });
    }
  });

  it("is read no further when somebody objects", async () => {
    let heard = 0;
    const url = await serve(async (connection) => {
      const reading = connection.readBody(50_000_000, (bytes) => {
        heard += bytes;
        if (heard > 500_000) throw new RangeError("enough");
      });
      connection.json(429, { why: await reading.catch((error: Error) => error.message) });
    });
    const head = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 40000000\r\n\r\n";
    const { status, body } = await sendRaw(url, [head, Buffer.alloc(40_000_000)]);
    expect([status, body]).toEqual([429, '{"why":"enough"}']);
    expect(heard).toBeLessThan(1_000_000);
  });

  it("that does not come is not waited for", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const begin = () => {
        const incoming = Object.assign(new PassThrough(), { headers: {} });
        const connection = new Connection(incoming as never, new PassThrough() as never);
        return { incoming, reading: connection.readBody(1_000_000).catch((error) => error) };
      };
      const silent = begin();
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await silent.reading).toMatchObject({ code: "upload-timeout", status: 408 });
      const slow = begin();
      for (let second = 0; second <= 65; second += 5) {
        slow.incoming.write("x");
        await vi.advanceTimersByTimeAsync(5_000);
      }
      expect(await slow.reading).toMatchObject({ code: "upload-timeout" });
    } finally {
      vi.useRealTimers();
    }
  });
});
