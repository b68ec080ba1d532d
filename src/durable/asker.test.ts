import { expect, it } from "vitest";
import type { AskRows } from "./ask-rows.ts";
import { createAsker } from "./asker.ts";

const NEVER = new AbortController().signal;
const asked = { worker: "w", queue: "q", request: "{}" };
const reply = { events: [], tookMs: 1 };

function toRows(rows: Partial<AskRows>): AskRows {
  return {
    forget: async () => {},
    fetch: async (ids: string[]) => new Map(ids.map((id) => [id, reply])),
    ...rows,
  } as AskRows;
}

it("does not take an ask for lost that is still on its way into the queue", async () => {
  let arrive: ((over: boolean[]) => void) | undefined;
  const looked: string[][] = [];
  const rows = toRows({
    enqueue: () => new Promise((resolve) => (arrive = resolve)),
    check: async (ids) => {
      looked.push([...ids]);
      return { ended: [], gone: [...ids] };
    },
  });
  const asker = createAsker(rows, { owner: "o", onError: expect.unreachable });
  const asking = asker.ask(asked, NEVER);
  await expect.poll(() => arrive).toBeDefined();
  await asker.check();
  expect(looked).toEqual([]);
  arrive!([true]);
  expect(await asking).toEqual(reply);
  await asker.close();
});

it("tells that an ask is gone which somebody has taken out of the table", async () => {
  const rows = toRows({
    enqueue: async () => [false],
    check: async (ids) => ({ ended: [], gone: [...ids] }),
  });
  const asker = createAsker(rows, { owner: "o", onError: expect.unreachable });
  let failed: unknown;
  asker.ask(asked, NEVER).catch((error: unknown) => {
    failed = error;
  });
  await expect
    .poll(async () => {
      await asker.check();
      return failed;
    })
    .toMatchObject({ code: "interrupted", retryable: true });
  await asker.close();
});
