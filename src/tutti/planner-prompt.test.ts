// What planner and last step are really sent, read from a server on this machine.

import { afterEach, expect, it } from "vitest";
import { type ChatServer, startChatServer } from "../testing/gateway/chat-server.ts";
import { createTutti, type Tutti } from "./tutti.ts";

const QUESTION = "Vergleiche Quicksort und Mergesort für fast sortierte Listen, und sag, welches du nähmest.";
const PLAN = 'Two.\nmodel_id = [0, 1]\nsubtasks = ["Draft", "Finish"]\naccess_list = [[], ["all"]]';

let server: ChatServer;
let tutti: Tutti;
afterEach(async () => {
  await tutti.close();
  await server.close();
});

it("names, published abilities with source and date, limits; the user's language and no word of the team", async () => {
  server = await startChatServer({
    reply: ({ messages }) => (JSON.stringify(messages).includes("You conduct a team") ? PLAN : "gut"),
  });
  const { baseUrl } = server;
  const price = { inputUsd: 1, outputUsd: 2 };
  const workers = ["openai/gpt-5", "here/home-made"].map((model) => ({ model, baseUrl, price }));
  tutti = createTutti({ workers, store: "memory", consensus: false }, { env: {}, onNotice() {} });
  await tutti.ask(QUESTION, { budgetUsd: 0.5, maxCalls: 4, deadlineMs: 90_000 });
  const [planner, first, last] = server.requests.map(({ messages }) => String(messages.at(-1)!.content));
  expect(planner).toMatch(
    /Model id 0 \(openai\/gpt-5\): sees images, calls tools, reasons before it answers/,
  );
  expect(planner).toMatch(/GPQA Diamond 82\.3 %.+\(Conductor paper, .+, 2026-11\)/);
  expect(planner).toMatch(/Model id 1 \(here\/home-made\): abilities unknown; \$1 in, \$2 out/);
  expect(planner).toMatch(/Limits: 4 calls, \$0\.5, 90 seconds for the whole answer\. .+ at most 4 steps/);
  expect(planner).toMatch(/in the language in which the user wrote.+must not mention the team/);
  expect(last).toMatch(/Write it in the user's language, and do not mention the team/);
  expect(first).not.toMatch(/user's language/);
});
