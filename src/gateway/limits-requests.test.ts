// What one request may be made of: names, lists and values that no client needs are refused, in the dialect's shape and
// without being repeated, before they cost anything.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCpuClock } from "../testing/cpu-clock.ts";
import { DOORS, type Door, expectAlive, refused } from "../testing/gateway/doors.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway/gateway.ts";
import {
  LONGEST_NAME,
  LONGEST_QUERY_VALUE,
  MOST_MESSAGES,
  MOST_PARTS,
  MOST_POOL_NAMES,
  MOST_TOOLS,
  MOST_VALUES,
} from "./access/request-limits.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

const LONG = "n".repeat(10_000_000);
const [chat, responses, messages] = DOORS as [Door, Door, Door];
const chatTool = (name: string) => ({ type: "function", function: { name } });

describe("a name that is too long", () => {
  it.each(DOORS)("as model of $name is refused at once, and not repeated", async (door) => {
    const cpuMs = startCpuClock();
    const error = await refused(gateway, door, { ...door.valid, model: LONG }, 400);
    expect(cpuMs()).toBeLessThan(3_000);
    expect(error.message).toBe(`"model" has ${LONG.length} characters; ${LONGEST_NAME} are allowed.`);
    await expectAlive(gateway);
  });

  it.each<[string, Door, object]>([
    ["of a pool", chat, { tutti: { pool: LONG } }],
    ["of a worker", chat, { tutti: { pool: [LONG] } }],
    ["of a response to go on from", responses, { previous_response_id: `resp_${LONG}` }],
    ["of a tool", chat, { tools: [chatTool(LONG)] }],
    ["of a tool that is chosen", chat, { tools: [chatTool("f")], tool_choice: chatTool(LONG) }],
    ["of a tool of Anthropic", messages, { tools: [{ name: LONG, input_schema: {} }] }],
    ["of a tool of Responses", responses, { tools: [{ type: "function", name: LONG }] }],
    ["of a call", responses, { input: [{ type: "function_call_output", call_id: LONG, output: "x" }] }],
    ["of a tag", chat, { metadata: { [LONG]: "x" } }],
    ["of a user", chat, { user: LONG }],
    ["of a user of Anthropic", messages, { metadata: { user_id: LONG } }],
    ["of a role", chat, { messages: [{ role: LONG, content: "x" }] }],
    ["of a format", chat, { response_format: { type: LONG } }],
  ])("%s is refused and not repeated", async (_, door, fields) => {
    const error = await refused(gateway, door, { ...door.valid, ...fields }, 400);
    expect(error.message.length).toBeLessThan(400);
    expect(error.param?.length ?? 0).toBeLessThan(100);
  });

  it("in an address or behind its question mark is refused", async () => {
    const name = "n".repeat(LONGEST_NAME + 1);
    for (const path of ["models", "runs", "responses"]) {
      const response = await fetch(`${gateway.url}/v1/${path}/${name}`);
      expect(response.status).toBe(404);
      expect(await response.text()).not.toContain("nnnn");
    }
    const long = "q".repeat(LONGEST_QUERY_VALUE + 1);
    const response = await fetch(`${gateway.url}/v1/runs?search=${long}`);
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain("qqqq");
  });

  it("of the longest kind that is taken is told to be unknown, as ever", async () => {
    const model = "n".repeat(LONGEST_NAME);
    const error = await refused(gateway, chat, { ...chat.valid, model }, 404);
    expect(error.message).toMatch(/^There is no model "n{80}…" here\. There are: tutti/);
  });
});

describe("a list that is too long", () => {
  const listOf = <T>(length: number, item: T) => Array<T>(length).fill(item);
  const user = { role: "user", content: "x" };
  const part = { type: "text", text: "x" };
  it.each<[string, Door, object, RegExp]>([
    ["messages", chat, { messages: listOf(MOST_MESSAGES + 1, user) }, /"messages" has 8193 items; 8192/],
    ["messages", messages, { messages: listOf(MOST_MESSAGES + 1, user) }, /"messages" has 8193 items/],
    ["items", responses, { input: listOf(MOST_MESSAGES + 1, user) }, /"input" has 8193 items/],
    ["parts", chat, { messages: [{ role: "user", content: listOf(MOST_PARTS + 1, part) }] }, /content" has/],
    ["parts", messages, { messages: [{ role: "user", content: listOf(MOST_PARTS + 1, part) }] }, /has 1025/],
    ["tools", chat, { tools: Array.from({ length: MOST_TOOLS + 1 }, (_, i) => chatTool(`f${i}`)) }, /513/],
    ["tools", messages, { tools: listOf(MOST_TOOLS + 1, { name: "f", input_schema: {} }) }, /513/],
    ["stops", messages, { stop_sequences: listOf(65, "x") }, /has 65 items; 64/],
    ["workers", chat, { tutti: { pool: listOf(MOST_POOL_NAMES + 1, "stub/alpha") } }, /at most 64 names/],
    ["workers", chat, { tutti: { pool: "a,".repeat(5_000_000) } }, /at most 64 names/],
    ["schema", chat, { response_format: jsonFormat("x".repeat(300_000)) }, /256000 are allowed/],
    ["workflow", chat, { tutti: { workflow: { steps: [{ subtask: "x".repeat(300_000) }] } } }, /256000/],
    ["values", chat, { x: listOf(MOST_VALUES, 0) }, /more than 150000 values/],
    ["values", messages, { model: "stub/alpha", x: listOf(MOST_VALUES, {}) }, /more than 150000 values/],
  ])("of %s is refused", async (_, door, fields, words) => {
    const error = await refused(gateway, door, { ...door.valid, ...fields }, 400);
    expect(error.message).toMatch(words);
    expect(error.message.length).toBeLessThan(400);
  });

  it.each(DOORS)("is taken by $name when an agent that works all day sends it", async (door) => {
    const said = Array.from({ length: 2_000 }, () => [user, { role: "assistant", content: "y" }]).flat();
    const conversation = { [door.name === "responses" ? "input" : "messages"]: [...said, user] };
    const response = await gateway.post(door.path, { ...door.valid, ...conversation });
    expect(response.status).toBe(200);
  });
});

function jsonFormat(description: string) {
  return { type: "json_schema", json_schema: { name: "x", schema: { description } } };
}
