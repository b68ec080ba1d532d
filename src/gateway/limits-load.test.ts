// What one key may hold and ask for at once, through the socket: whoever takes too much waits, and nobody else.

import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { body, closing, held, type Keyed, question, start } from "../testing/gateway/keyed-gateway.ts";
import { sendRaw } from "../testing/gateway/raw-http.ts";
import { MOST_READERS_OF_RUN, READ_BURST } from "./access/request-limits.ts";

/** A request whose body never comes. */
function beginUpload(gateway: Keyed, key: string) {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname).on("error", () => {});
  closing.push(() => socket.destroy());
  const authorization = `authorization: Bearer ${gateway.secrets[key]}`;
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${authorization}\r\ncontent-length: 900000\r\n\r\n{`,
  );
  return socket;
}

describe("a body", () => {
  it("that does not come takes a place of its own key, and of no other", async () => {
    const gateway = await start({ slow: { concurrency: 2 }, other: { concurrency: 2 } });
    const sockets = [beginUpload(gateway, "slow"), beginUpload(gateway, "slow")];
    const asked = () => gateway.ask(question(), "slow");
    await expect.poll(async () => (await asked()).status, { timeout: 15_000 }).toBe(429);
    const refused = await asked();
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await body(refused)).error.code).toBe("rate_limit_exceeded");
    expect((await gateway.ask(question(), "other")).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await asked()).status, { timeout: 15_000 }).toBe(200);
  });

  it("of nobody is not read: the answer comes before it", async () => {
    const gateway = await start({ me: {} });
    const head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 9000000\r\n\r\n";
    const { status, head: answer } = await sendRaw(gateway.url, head);
    expect(status).toBe(401);
    expect(answer.toLowerCase()).toContain("connection: close");
  });
});

describe("what only reads", () => {
  it("has a rate of its own for each key, and says when to come back", async () => {
    const gateway = await start({ loud: {}, quiet: {} });
    const statuses: number[] = [];
    let refused: Response | undefined;
    const lane = async () => {
      for (let i = 0; i < READ_BURST / 4 && !refused; i++) {
        const response = await gateway.get("/v1/session", "loud");
        statuses.push(response.status);
        await response.arrayBuffer();
        if (response.status === 429) refused = response;
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    expect(refused?.headers.get("retry-after")).toBe("1");
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(READ_BURST);
    expect((await gateway.get("/v1/session", "quiet")).status).toBe(200);
    expect((await gateway.get("/health")).status).toBe(200);
    expect((await gateway.ask(question(), "loud")).status).toBe(200);
  });
});

describe("readers of live events", () => {
  it("are bounded for each run, and make room when they leave", async () => {
    const { release, reply } = held();
    closing.push(release);
    const gateway = await start({ me: {} }, { reply });
    const asking = gateway.ask(question({ stream: true }), "me");
    await expect
      .poll(async () => (await body(gateway.get("/v1/runs?state=running", "me"))).data.length)
      .toBe(1);
    const [{ id }] = (await body(gateway.get("/v1/runs", "me"))).data;
    const controllers: AbortController[] = [];
    const read = async () => {
      const controller = new AbortController();
      controllers.push(controller);
      const headers = { authorization: `Bearer ${gateway.secrets.me}` };
      const { signal } = controller;
      return (await fetch(`${gateway.url}/v1/runs/${id}/events`, { headers, signal })).status;
    };
    for (let i = 0; i < MOST_READERS_OF_RUN; i++) expect(await read()).toBe(200);
    expect(await read()).toBe(429);
    controllers[0]!.abort();
    await expect.poll(read).toBe(200);
    for (const controller of controllers) controller.abort();
    release();
    await (await asking).text();
  });
});

describe("figures for Prometheus", () => {
  it("are for admins where there are keys, and open where there are none", async () => {
    const gateway = await start({ plain: {}, chief: { isAdmin: true } });
    expect((await gateway.get("/metrics")).status).toBe(401);
    expect((await gateway.get("/metrics", "plain")).status).toBe(403);
    const shown = await gateway.get("/metrics", "chief");
    expect(shown.status).toBe(200);
    expect(await shown.text()).toContain("tutti_requests_total");
    const open = await start();
    expect((await open.get("/metrics")).status).toBe(200);
  });
});
