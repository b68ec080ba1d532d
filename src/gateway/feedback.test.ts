// How good a run was, said over the socket: by whoever asked, bounded, and shown with the run.

import { afterEach, expect, it } from "vitest";
import type { Loose } from "../testing/gateway/doors.ts";
import { startTestGateway } from "../testing/gateway/gateway.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function startRated() {
  const gateway = await startTestGateway();
  closing.push(() => gateway.close());
  const create = async (more: object, headers = {}) =>
    ((await (await gateway.post("/v1/keys", more, headers)).json()) as Loose).secret as string;
  const admin = await create({ name: "admin" });
  const as = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const [one, other] = [await create({ name: "one" }, as(admin)), await create({ name: "other" }, as(admin))];
  const asked = await gateway.post(
    "/v1/chat/completions",
    { model: "tutti-fast", messages: [{ role: "user", content: "Hello there, who are you?" }] },
    as(one),
  );
  expect(asked.status).toBe(200);
  const id = asked.headers.get("x-tutti-run-id") ?? ((await asked.json()) as Loose).tutti.run_id;
  const rate = (body: unknown, secret = one) => gateway.post(`/v1/runs/${id}/feedback`, body, as(secret));
  const show = async () =>
    (await (await fetch(`${gateway.url}/v1/runs/${id}`, { headers: as(one) })).json()) as Loose;
  return { gateway, id, rate, show, one, other, admin };
}

it("is kept with the run and shown with it", async () => {
  const { id, rate, show } = await startRated();
  const said = await rate({ score: 0.5, label: "slow", comment: "Right, but slow." });
  expect(said.status).toBe(200);
  expect(await said.json()).toMatchObject({ run_id: id, data: [{ score: 0.5, label: "slow" }] });
  expect((await rate({ score: 1 })).status).toBe(200);
  expect((await show()).feedback).toMatchObject([{ comment: "Right, but slow." }, { score: 1 }]);
});

it("is taken from the key that asked and from an admin, and from nobody else", async () => {
  const { rate, other, admin, show } = await startRated();
  expect((await rate({ score: 1 }, other)).status).toBe(404);
  expect((await show()).feedback).toBeUndefined();
  expect((await rate({ score: 1 }, admin)).status).toBe(200);
});

it("that is none, or too long, or too much, is refused with what would be right", async () => {
  const { rate } = await startRated();
  const wrong = [
    {},
    { score: 2 },
    { score: "good" },
    { score: 1, label: 7 },
    { score: 1, comment: "x".repeat(2_001) },
  ];
  for (const body of wrong) expect((await rate(body)).status, JSON.stringify(body).slice(0, 60)).toBe(400);
  for (let count = 0; count < 20; count++) expect((await rate({ score: 1 })).status).toBe(200);
  expect((await rate({ score: 1 })).status).toBe(409);
});
