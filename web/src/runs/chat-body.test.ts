import { expect, it } from "vitest";
import { chatDialect } from "../../../src/gateway/dialect/chat/dialect.ts";
import { ObjectReader } from "../../../src/gateway/http/object-reader.ts";
import { readPreferences } from "../../../src/gateway/runs/preferences.ts";
import { type Run, toRun } from "../../../src/perform/run.ts";
import { fold } from "../../../src/perform/state.ts";
import { event, toWorkflow } from "../../../src/testing/run-events.ts";
import type { Task } from "../../../src/worker/types.ts";
import { toChatBody, toCurl, toSingleBody, toWorkflowBody } from "./chat-body.ts";

const run: Run = toRun(fold([event.start(["a/x", "b/y"], { rounds: 2, limits: { usd: 0.5 } })])!);

const NO_LIMITS = { limits: { usd: null, calls: null, tokens: null, deadlineMs: null } };

/** As the gateway itself reads it. */
function read(body: object) {
  return chatDialect.parseRequest(body as Record<string, unknown>, () => undefined);
}

it("asks for the same task, in the gateway's own reading", () => {
  const task: Task = {
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is it?" },
          { type: "image", image: "data:image/png;base64,AA==" },
        ],
      },
      { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "look", input: '{"at":1}' }] },
      { role: "tool", toolCallId: "c1", toolName: "look", content: "a cat" },
      { role: "user", content: "So?" },
    ],
    output: {
      maxOutputTokens: 100,
      stop: ["END"],
      temperature: 0.5,
      tools: [{ name: "look", description: "looks", inputSchema: { type: "object" } }],
      toolChoice: { name: "look" },
      responseFormat: { type: "json", name: "thing", schema: { type: "object" } },
    },
  };
  expect(read(toChatBody({ ...run, task })).task).toEqual(task);
});

it("wishes for the same rounds and the same budget", () => {
  expect(readPreferences(new ObjectReader({ ...toChatBody(run) }), NO_LIMITS)).toEqual({
    rounds: 2,
    budgetUsd: 0.5,
  });
});

it("sends a workflow together with the pool that its numbers mean", () => {
  const workflow = toWorkflow([1, "Do it", []]);
  const body = toWorkflowBody({ ...run, origin: { model: "a/x", dialect: "chat" } }, workflow);
  expect(body.model).toBe("tutti");
  expect(readPreferences(new ObjectReader({ ...body }), NO_LIMITS)).toMatchObject({
    pool: ["a/x", "b/y"],
    workflow,
    rounds: 1,
  });
});

it("asks one worker without any wish for the team", () => {
  expect(toSingleBody(run, "a/x")).toMatchObject({ model: "a/x" });
  expect(toSingleBody(run, "a/x")).not.toHaveProperty("tutti");
});

it("writes a command whose quotes hold, and no key", () => {
  const body = toChatBody({ ...run, task: { messages: [{ role: "user", content: "What's $HOME?" }] } });
  const curl = toCurl(body, "http://127.0.0.1:7878/v1/chat/completions", true);
  expect(curl).toContain("What'\\''s $HOME?");
  expect(curl).toContain("Bearer $TUTTI_API_KEY");
  expect(toCurl(body, "http://x/", false)).not.toContain("Bearer");
});
