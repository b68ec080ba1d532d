import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { limitConnections, toConnectionLimit } from "./connection-limit.ts";

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function start(most: number) {
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url === "/wait") waiting.push(response);
    else response.end("here");
  });
  limitConnections(server, most);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const { port } = server.address() as AddressInfo;
  const open = async () => {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    closing.push(() => socket.destroy());
    await once(socket, "connect");
    return socket;
  };
  return { server, waiting, open };
}

async function ask(socket: Socket, path = "/"): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  const [bytes] = await once(socket, "data");
  return String(bytes).split("\r\n")[0]!;
}

it("cuts off whoever has been silent for longest, and not one that waits for its answer", async () => {
  const { waiting, open, server } = await start(3);
  const working = await open();
  const answer = ask(working, "/wait");
  await once(server, "request");
  const silent = await open();
  const spoken = await open();
  expect(await ask(spoken)).toBe("HTTP/1.1 200 OK");
  const cut = once(silent, "close");
  const newest = await open();
  await cut;
  expect(await ask(newest)).toBe("HTTP/1.1 200 OK");
  expect(await ask(spoken)).toBe("HTTP/1.1 200 OK");
  waiting[0]!.end("late");
  expect(await answer).toBe("HTTP/1.1 200 OK");
});

it("refuses the newest where all others are at work", async () => {
  const { open, server } = await start(2);
  for (let i = 0; i < 2; i++) {
    const socket = await open();
    const asked = once(server, "request");
    socket.write("GET /wait HTTP/1.1\r\nhost: x\r\n\r\n");
    await asked;
  }
  const refused = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  await once(refused, "close");
});

it("leaves two thirds of the files that a process may open to others", () => {
  const toLimits = (soft: string) =>
    `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft}                 1048576              files\n`;
  expect(toConnectionLimit(8_000, toLimits("1024"))).toBe(341);
  expect(toConnectionLimit(8_000, toLimits("1048576"))).toBe(8_000);
  expect(toConnectionLimit(8_000, toLimits("unlimited"))).toBe(8_000);
  expect(toConnectionLimit(8_000, "")).toBe(2_000);
  expect(toConnectionLimit(500, "")).toBe(500);
});
