import { expect, it } from "vitest";
import { createSelfWorker } from "./self.ts";
import type { WorkerEvent, WorkerRequest } from "./types.ts";

const never = new AbortController().signal;
const request: WorkerRequest = { messages: [], maxOutputTokens: 100 };

it("streams the nested run and hands it the signal", async () => {
  const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
  const nested: WorkerEvent[] = [
    { type: "text-delta", text: "42" },
    { type: "finish", usage, reason: "stop" },
  ];
  let given: AbortSignal | undefined;
  async function* conduct(signal: AbortSignal) {
    given = signal;
    yield* nested;
  }
  const events: WorkerEvent[] = [];
  for await (const event of createSelfWorker().ask({ ...request, conduct }, never)) events.push(event);
  expect(events).toEqual(nested);
  expect(given).toBe(never);
});

it("is too deep where no nested run is allowed", async () => {
  const asking = createSelfWorker().ask(request, never)[Symbol.asyncIterator]().next();
  await expect(asking).rejects.toMatchObject({ code: "too-deep" });
});
