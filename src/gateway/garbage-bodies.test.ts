// Bodies that no honest client sends: refused in the shape and with the status of the dialect that was spoken, by
// a process that stays alive. Over the socket, and where an HTTP client would not send it, over a bare one.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCpuClock } from "../testing/cpu-clock.ts";
import {
  DOORS,
  expectAlive,
  expectErrorShape,
  type Loose,
  QUESTION,
  refused,
} from "../testing/gateway/doors.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway/gateway.ts";
import { sendRaw } from "../testing/gateway/raw-http.ts";

const LIMIT_BYTES = 1_000_000;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ config: { gateway: { maxBodyBytes: LIMIT_BYTES } } });
});
afterAll(async () => {
  await expectAlive(gateway);
  await gateway.close();
});

describe.each(DOORS)("bad input to $path", (door) => {
  const { path, valid } = door;

  it.each([
    ["nothing", ""],
    ["half an object", '{"model": "tutti", "mess'],
    ["two objects", "{}{}"],
    ["a comment", '{"model": "tutti" /* why */}'],
    ["a list", "[1, 2]"],
    ["null", "null"],
    ["a number", "7"],
    ["a text", '"hello"'],
    ["a byte order mark", `\ufeff{"model":"tutti"}`],
    ["NaN", '{"model": "tutti", "temperature": NaN}'],
  ])("is no JSON object: %s", async (_what, text) => {
    await refused(gateway, door, text, 400);
  });

  const WRONG: unknown[] = [7, -1, 1.5, true, "", "text", [], [7], {}, { type: 7 }, 1e300, "9".repeat(2_000)];
  const FIELDS: Record<string, string[]> = {
    chat: [
      "model messages stream stream_options temperature max_tokens max_completion_tokens stop seed tools",
      "tool_choice response_format reasoning_effort user metadata store n logprobs modalities functions tutti",
    ],
    responses: [
      "model input instructions stream temperature max_output_tokens tools tool_choice text reasoning user",
      "metadata store background previous_response_id conversation prompt tutti",
    ],
    messages: [
      "model system messages stream temperature max_tokens stop_sequences tools tool_choice thinking",
      "output_config output_format metadata store tutti",
    ],
  };

  it("has wrong types: each field with each wrong value is refused or has no effect", async () => {
    const fields = FIELDS[door.name]!.flatMap((line) => line.split(" "));
    let refusals = 0;
    for (const field of fields) {
      for (const value of WRONG) {
        const response = await gateway.post(path, { ...valid, [field]: value });
        if (response.status === 200) {
          await response.text();
          continue;
        }
        const body: Loose = await response.json();
        expect({ field, value, status: response.status }).toEqual({
          field,
          value,
          status: expect.toSatisfy((status: number) => status === 400 || status === 404),
        });
        expectErrorShape(door.name, body);
        refusals++;
      }
    }
    expect(refusals).toBeGreaterThan(fields.length * 5);
  }, 120_000);

  it("names the field that is to blame", async () => {
    const { message } = await refused(gateway, door, { ...valid, temperature: "hot" }, 400);
    expect(message).toMatch(/temperature/);
    expect(message).toMatch(/number/);
  });

  it("asks for a model that is not there, and hears of the nearest", async () => {
    const { message } = await refused(gateway, door, { ...valid, model: "tuti-ultra" }, 404);
    expect(message).toContain("tutti-ultra");
    for (const model of ["__proto__", "constructor", "toString/x", "../../etc/passwd", "a".repeat(256), "\0"])
      await refused(gateway, door, { ...valid, model }, 404);
  });

  it("is larger than the limit, declared", async () => {
    const { message } = await refused(gateway, door, { ...valid, filler: "x".repeat(LIMIT_BYTES) }, 413);
    expect(message).toContain("1 MB");
  });

  it("is larger than the limit, in chunks of unknown number", async () => {
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n`;
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const reply = await sendRaw(gateway.url, [head, ...Array.from({ length: 40 }, () => chunk)]);
    expect(reply.status).toBe(413);
    expectErrorShape(door.name, JSON.parse(reply.body));
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(Buffer.alloc(100_000, 0x20));
      },
    });
    const endless = await fetch(`${gateway.url}${path}`, { method: "POST", body: stream, duplex: "half" });
    expect(endless.status).toBe(413);
    expectErrorShape(door.name, await endless.json());
  });

  it("breaks off: the client leaves while it sends", async () => {
    const body = JSON.stringify(valid);
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length + 50}\r\n\r\n`;
    const before = gateway.upstream.requests.length;
    await sendRaw(gateway.url, head + body, { leave: true });
    const { status } = await sendRaw(gateway.url, head + body, { end: true });
    expect([0, 400]).toContain(status);
    expect(gateway.upstream.requests).toHaveLength(before);
  });

  it("is nested 100,000 levels deep", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const { message } = await refused(gateway, door, `{"model":"tutti","input":"x","messages":${deep}}`, 400);
    expect(message).toMatch(/deep/);
    await refused(gateway, door, `{"a":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`, 400);
  });

  it("has huge numbers", async () => {
    for (const number of ["1e999", "-1e999", "9".repeat(400), `0.${"0".repeat(400)}1`, "9007199254740993"])
      for (const field of [
        "temperature",
        "max_tokens",
        "max_completion_tokens",
        "max_output_tokens",
        "seed",
      ]) {
        const text = JSON.stringify(valid).replace("{", `{"${field}":${number},`);
        const response = await gateway.post(path, text);
        expect({ field, number, status: response.status }).toMatchObject({
          status: expect.toSatisfy((status: number) => status === 200 || status === 400),
        });
        const body: Loose = await response.json();
        if (response.status === 400) expectErrorShape(door.name, body);
      }
  });

  it("has a field twice: the last one counts", async () => {
    const text = JSON.stringify(valid).replace("{", '{"model":"nobody-knows-it",');
    const response = await gateway.post(path, text);
    expect(response.status).toBe(200);
    await response.text();
    await refused(gateway, door, JSON.stringify(valid).replace(/}$/, ',"model":"nobody-knows-it"}'), 404);
  });

  it("is no UTF-8", async () => {
    const body = Buffer.from(JSON.stringify(valid));
    const at = body.indexOf("What");
    body[at] = 0xff;
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n`;
    const reply = await sendRaw(gateway.url, [head, body]);
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body).error.message).toMatch(/UTF-8/);
    expectErrorShape(door.name, JSON.parse(reply.body));
  });

  it("has NUL, lone surrogates and controls in its texts: they are only text", async () => {
    const odd = "a\u0000b\ud800c\u202e\u001b[31m";
    const text = JSON.stringify(valid).replaceAll(QUESTION, JSON.stringify(odd).slice(1, -1));
    const response = await gateway.post(path, text);
    expect(response.status).toBe(200);
    const { tutti } = (await response.json()) as Loose;
    const run: Loose = await (await fetch(`${gateway.url}/v1/runs/${tutti.run_id}`)).json();
    expect(run.task.messages.at(-1).content).toBe(odd);
  });

  it("has the names of prototypes in it: they are only names", async () => {
    const odd =
      '"__proto__":{"isAdmin":true,"model":"tutti"},"constructor":{"prototype":{"x":1}},"toString":1';
    await refused(gateway, door, `{${odd}}`, 400);
    const metadata = '"metadata":{"__proto__":"a","constructor":"b","hasOwnProperty":"c"}';
    const sent = JSON.stringify(valid).replace("{", `{${odd},${metadata},`);
    const response = await gateway.post(path, sent);
    expect(response.status).toBe(200);
    const { tutti } = (await response.json()) as Loose;
    expect(Object.hasOwn(Object.prototype, "isAdmin")).toBe(false);
    const run: Loose = await (await fetch(`${gateway.url}/v1/runs/${tutti.run_id}`)).json();
    if (door.name !== "messages")
      expect(Object.entries(run.origin.metadata).sort()).toEqual([
        ["__proto__", "a"],
        ["constructor", "b"],
        ["hasOwnProperty", "c"],
      ]);
    const bill = await fetch(`${gateway.url}/v1/usage?group=metadata.__proto__,metadata.constructor`);
    expect(bill.status).toBe(200);
    expect(((await bill.json()) as Loose).data.length).toBeGreaterThan(0);
  });

  it("uses a method that the route does not have", async () => {
    for (const method of ["GET", "PUT", "DELETE", "PATCH", "HEAD"]) {
      const response = await fetch(`${gateway.url}${path}`, { method });
      expect({ method, status: response.status }).toEqual({ method, status: 405 });
      expect(response.headers.get("allow")).toBe("POST");
      if (method !== "HEAD") expectErrorShape(door.name, await response.json());
    }
  });

  it("has an idempotency key of any length and content", async () => {
    await refused(gateway, door, valid, 400, { "idempotency-key": "x".repeat(300) });
    const response = await gateway.post(path, valid, { "idempotency-key": `${door.name} ' OR 1=1 --` });
    expect(response.status).toBe(200);
    await response.text();
  });
});

describe("what a request asks of the run", () => {
  it("cannot hold everybody up with a schema that takes for ever", async () => {
    const hard = await startTestGateway({ reply: () => JSON.stringify({ x: `${"a".repeat(30)}!` }) });
    try {
      const twice = (name: string) => ({ anyOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
      const $defs: Record<string, object> = { s40: { type: "number" } };
      for (let at = 0; at < 40; at++) $defs[`s${at}`] = twice(`s${at + 1}`);
      const schemas = [
        { type: "object", properties: { x: { type: "string", pattern: "^(a+)+$" } } },
        { type: "object", properties: { x: { $ref: "#/$defs/s0" } }, $defs },
        { $ref: "#" },
        { type: "object", properties: { x: { pattern: "(" } } },
      ];
      for (const schema of schemas) {
        const cpuMs = startCpuClock();
        const response = await hard.post(DOORS[0]!.path, {
          ...DOORS[0]!.valid,
          response_format: { type: "json_schema", json_schema: { name: "x", schema } },
        });
        expect(response.status).toBe(200);
        await response.text();
        expect(cpuMs()).toBeLessThan(3_000);
      }
    } finally {
      await hard.close();
    }
  }, 60_000);

  it.each(DOORS)("at $path is refused where it makes no sense, streamed or not", async (door) => {
    const step = { worker: 0, subtask: "Answer it.", access: [] };
    for (const tutti of [
      { workflow: { steps: "none" } },
      { workflow: { steps: [] } },
      { workflow: { steps: [{ ...step, worker: 1e9 }] } },
      { workflow: { steps: [{ ...step, worker: -1 }] } },
      { workflow: { steps: [{ ...step, subtask: 7 }] } },
      { workflow: { steps: [{ ...step, access: [5] }] } },
      { workflow: { steps: [null] } },
      { workflow: { __proto__: null } },
      { pool: "nobody" },
      { pool: [7] },
      { pool: "../../etc" },
      { rounds: 99 },
      { budget_usd: -1 },
      { deadline_ms: 0 },
      { max_calls: 0.5 },
    ])
      for (const stream of [false, true]) {
        const response = await gateway.post(door.path, { ...door.valid, stream, tutti });
        const text = await response.text();
        const sent = JSON.stringify(tutti).slice(0, 200);
        expect({ sent, stream, status: response.status }).toEqual({ sent, stream, status: 400 });
        expectErrorShape(door.name, JSON.parse(text));
      }
  });

  it("may name responses and tool calls that never were", async () => {
    const responses = DOORS[1]!;
    for (const id of ["resp_zz", "resp_../x", "resp_zz_999999", "x".repeat(256), "resp_'", "msg_zz"])
      await refused(gateway, responses, { ...responses.valid, previous_response_id: id }, 404);
    const call = (id: string) => ({ type: "function_call_output", call_id: id, output: "rain" });
    for (const id of ["call_zz_0_0", "call_zz_999999_999999", "", "__proto__", "x".repeat(5_000)])
      await refused(gateway, responses, { model: "tutti", input: [call(id)] }, 400);
  });

  it("may be counted, and is refused in the same way", async () => {
    const counting = { ...DOORS[2]!, path: "/v1/messages/count_tokens" };
    for (const sent of [
      "",
      "{",
      "[]",
      { messages: 7 },
      { messages: [7] },
      { messages: [{ role: "x" }] },
      { tools: 7 },
    ])
      await refused(gateway, counting, sent, 400);
    const counted = await gateway.post(counting.path, counting.valid);
    expect(((await counted.json()) as Loose).input_tokens).toBeGreaterThan(0);
  });
});
