// Ratings change whom the next question goes to, where the config wants it, and nowhere else.

import { afterEach, expect, it } from "vitest";
import { createHome } from "../testing/command.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway/gateway.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const poem = (about: string) => `Please write a short poem about the ${about} for me.`;
const sum = (of: string) => `What is the sum of ${of} numbers in this list?`;
const THINGS = ["moon", "river", "sea", "wind", "snow", "garden", "city", "night"];

async function start(home: string, learn: boolean): Promise<TestGateway> {
  const gateway = await startTestGateway({ home, config: { feedback: { learn } } });
  closing.push(() => gateway.close());
  return gateway;
}

/** Who answered, and the run. */
async function ask(gateway: TestGateway, question: string): Promise<{ worker: string; id: string }> {
  const before = gateway.asked().length;
  const response = await gateway.post("/v1/chat/completions", {
    model: "tutti-fast",
    messages: [{ role: "user", content: question }],
  });
  expect(response.status).toBe(200);
  const id = response.headers.get("x-tutti-run-id")!;
  await response.text();
  return { worker: gateway.asked().slice(before).at(-1)!.model ?? "", id };
}

it("a worker that is rated bad on poems and good on sums gets the sums from tutti-fast, and no poems", async () => {
  const home = createHome();
  const first = await start(home, true);
  for (const thing of THINGS) {
    for (const [question, score] of [
      [poem(thing), 0],
      [sum(thing), 1],
    ] as const) {
      const { worker, id } = await ask(first, question);
      expect(worker, "nothing is known yet").toBe("alpha");
      expect((await first.post(`/v1/runs/${id}/feedback`, { score })).status).toBe(200);
    }
  }
  // As the next process sees it: the first one reads what is new once a minute.
  const learned = await start(home, true);
  expect((await ask(learned, poem("harbour"))).worker).toBe("beta");
  expect((await ask(learned, sum("three"))).worker).toBe("alpha");
  const listed = (await (await fetch(`${learned.url}/v1/pool`)).json()) as {
    workers: { id: string; profile?: object }[];
  };
  expect(listed.workers.find(({ id }) => id === "stub/alpha")?.profile).toMatchObject({
    ...{ source: "16 ratings", ratings: 16 },
  });

  const other = await start(home, false);
  expect((await ask(other, poem("harbour"))).worker, "it was not asked to learn").toBe("alpha");
}, 60_000);
