// Headers, paths and bytes that no honest client sends, and keys that are not let in.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { DOORS, type Door, expectAlive, expectErrorShape, type Loose } from "../testing/gateway/doors.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway/gateway.ts";
import { sendRaw } from "../testing/gateway/raw-http.ts";
import { openKeyRing } from "./access/keys.ts";

const LIMIT_BYTES = 1_000_000;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ config: { gateway: { maxBodyBytes: LIMIT_BYTES } } });
});
afterAll(async () => {
  await expectAlive(gateway);
  await gateway.close();
});

describe("headers", () => {
  const body = JSON.stringify(DOORS[0]!.valid);
  const post = (headers: string) =>
    `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${Buffer.from(body).toString("latin1")}`;

  it("cannot be smuggled into a response by what is sent", async () => {
    for (const value of [
      "a\r\nx-evil: 1",
      "a%0d%0ax-evil: 1",
      "a\\r\\nx-evil: 1",
      "é\xff\x80",
      "\t\t",
      "'\"<>",
    ])
      for (const name of [
        "idempotency-key",
        "x-request-id",
        "x-client-request-id",
        "x-tutti-progress",
        "user-agent",
      ]) {
        const { status, head } = await sendRaw(gateway.url, post(`${name}: ${value}\r\n`));
        expect({ name, value, status }).toMatchObject({ status: 200 });
        expect(head).not.toMatch(/^x-evil/im);
      }
  });

  it("that HTTP forbids are refused without a word", async () => {
    for (const line of [
      "x-a: a\0b",
      "x-a: a\x01b",
      "x a: b",
      "content-length: 7",
      "transfer-encoding: chunked",
      ": a",
    ])
      expect({ line, status: (await sendRaw(gateway.url, post(`${line}\r\n`))).status }).toEqual({
        line,
        status: 400,
      });
  });

  it("of any size are refused and not kept", async () => {
    const { status } = await sendRaw(gateway.url, post(`x-a: ${"a".repeat(200_000)}\r\n`));
    expect([400, 431]).toContain(status);
  });

  it("of another host are refused where there are no keys", async () => {
    const { status, body: text } = await sendRaw(
      gateway.url,
      "GET /v1/models HTTP/1.1\r\nhost: evil.example\r\n\r\n",
    );
    expect(status).toBe(403);
    expectErrorShape("chat", JSON.parse(text));
  });

  it("without a host, or with one that is none, end in a 4xx", async () => {
    for (const host of [
      "",
      "host: \r\n",
      "host: a b\r\n",
      "host: [::\r\n",
      "host: %00\r\n",
      "host: a\r\nhost: b\r\n",
    ]) {
      const { status } = await sendRaw(gateway.url, `GET /v1/models HTTP/1.1\r\n${host}\r\n`);
      expect({ host, status }).toEqual({
        host,
        status: expect.toSatisfy((n: number) => n >= 400 && n < 500),
      });
    }
  });
});

describe("paths", () => {
  it.each(
    [
      "/v1/runs/../../etc/passwd",
      "/v1/runs/%2e%2e/%2e%2e/etc/passwd",
      "/v1/runs/..%2f..%2fetc%2fpasswd",
      "/v1/runs/..%5c..%5cwindows",
      "/v1/runs/%00",
      "/v1/runs/%",
      "/v1/runs/%ff%fe",
      "/v1/runs/r_'; DROP TABLE runs; --",
      `/v1/runs/r_${"a".repeat(5_000)}`,
      "/v1/runs/r_a.b.c/events",
      "/v1/runs/__proto__",
      "/v1/runs/r___proto__",
      "/v1/responses/..%2f",
      "/v1/responses/resp_",
      "/v1/responses/resp_a_999999999999",
      `/v1/responses/resp_${"z".repeat(3_000)}`,
      "/v1/responses/resp_aa/input_items",
      "/v1/models/..%2f..%2fetc%2fpasswd",
      "/v1/models/openai%2f%00",
      "/v1/models/__proto__",
      "//etc/passwd",
      "/v1//runs/x",
      "/.git/config",
      "/v1/runs/x/events/../../../keys.json",
      "http://evil.example/v1/runs/x",
      "*",
    ].map((path) => ({ path, title: path.slice(0, 40) })),
  )("$title is not found", async ({ path }) => {
    const line = path.replaceAll(" ", "%20");
    const { status, head, body } = await sendRaw(
      gateway.url,
      `GET ${line} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
    );
    expect([400, 403, 404]).toContain(status);
    if (/^content-type: application\/json/im.test(head)) expectErrorShape("chat", JSON.parse(body));
  });

  it("below a door answer in the shape of its dialect", async () => {
    for (const { name, path } of DOORS) {
      const response = await fetch(`${gateway.url}${path}/nothing/here`, { method: "POST" });
      expect(response.status).toBe(404);
      expectErrorShape(name, await response.json());
    }
  });

  it("with queries that mean nothing are refused, with what would be right", async () => {
    for (const query of [
      "runs?limit=0",
      "runs?limit=1e3",
      "runs?limit=-1",
      "runs?limit=99999999999999999999",
      "runs?state=sleeping",
      "runs?started_before=yesterday",
      "usage?group=moon",
      "usage?format=xml",
      "usage?from=2026-02-30",
      "usage?group=metadata.",
    ]) {
      const response = await fetch(`${gateway.url}/v1/${query}`);
      expect({ query, status: response.status }).toEqual({ query, status: 400 });
      expectErrorShape("chat", await response.json());
    }
    const odd = await fetch(
      `${gateway.url}/v1/runs?search=%25_%27%22%00&model=%00&id=%25&stop_reason=x&before_id='`,
    );
    expect(odd.status).toBe(200);
    expect(((await odd.json()) as Loose).data).toEqual([]);
  });
});

describe("what is no HTTP", () => {
  it.each([
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "hello\r\n\r\n",
    "GET\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "\0\0\0\0\0\0\0\0\r\n\r\n",
    "CONNECT localhost:22 HTTP/1.1\r\nhost: localhost:22\r\n\r\n",
  ])("%j ends with 400 or a closed socket", async (bytes) => {
    const { status } = await sendRaw(gateway.url, bytes, { end: true });
    expect([0, 400, 403, 404, 405]).toContain(status);
  });
});

describe("a gateway with keys", () => {
  let keyed: TestGateway;
  const secrets: Record<string, string> = {};
  beforeAll(async () => {
    keyed = await startTestGateway({
      reply: () => ({ text: "An answer.", usage: { prompt_tokens: 10, completion_tokens: 1_000_000 } }),
    });
    const ring = openKeyRing({ env: keyed.env });
    const limits = {
      poor: { budget: { usd: 0.5, window: "total" as const } },
      slow: { requestsPerMinute: 1 },
      foreign: { only: ["stub/alpha"] },
    };
    for (const [name, settings] of Object.entries(limits))
      secrets[name] = (await ring.create({ name, ...settings })).secret;
    // A running gateway looks at its keys once a second.
    await vi.waitUntil(async () => (await fetch(`${keyed.url}/v1/models`)).status === 401, {
      timeout: 5_000,
    });
  });
  afterAll(() => keyed.close());

  async function ask(door: Door, key: string | undefined, body: object = door.valid) {
    const auth: Record<string, string> =
      key === undefined
        ? {}
        : door.name === "messages"
          ? { "x-api-key": key }
          : { authorization: `Bearer ${key}` };
    const response = await keyed.post(door.path, body, { ...auth, "x-tutti-join": "off" });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Loose };
  }

  it.each(DOORS)("refuses a bad key at $path without repeating it", async (door) => {
    for (const key of [undefined, "sk-tutti-wrong-one-0123456789", "x", "sk-tutti-é"]) {
      const { status, body } = await ask(door, key);
      expect(status).toBe(401);
      expectErrorShape(door.name, body);
      expect(JSON.stringify(body)).not.toContain("wrong-one");
    }
    expect(JSON.stringify(keyed.log)).not.toContain("wrong-one");
  });

  it.each(DOORS)("refuses a spent budget at $path, and no SDK repeats it", async (door) => {
    await expect
      .poll(async () => (await ask(door, secrets.poor)).status, { timeout: 30_000 })
      .toBe(door.name === "messages" ? 402 : 429);
    const { body, headers } = await ask(door, secrets.poor);
    expectErrorShape(door.name, body);
    expect(body.error.message).toMatch(/budget/);
    expect(headers.get("x-should-retry")).toBe("false");
    if (door.name !== "messages") expect(body.error.code).toBe("insufficient_quota");
  });

  it.each(DOORS)("refuses too many requests at $path, and says when to come back", async (door) => {
    await ask(door, secrets.slow);
    const { status, body, headers } = await ask(door, secrets.slow);
    expect(status).toBe(429);
    expectErrorShape(door.name, body);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(headers.get("x-should-retry")).toBe("true");
  });

  it.each(DOORS)("refuses a model that the key may not ask at $path", async (door) => {
    const { status, body } = await ask(door, secrets.foreign, { ...door.valid, model: "stub/beta" });
    expect(status).toBe(403);
    expectErrorShape(door.name, body);
  });
});
