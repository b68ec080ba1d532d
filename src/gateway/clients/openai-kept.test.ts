// Responses that outlive their connection, by the real `openai` client: kept, read again, deleted, made in the
// background, cancelled.

import { NotFoundError } from "openai";
import { describe, expect, it } from "vitest";
import { connectOpenAI as connect, lastOf, readEvents, textOf } from "../../testing/gateway/openai.ts";
import { ANSWER, held, OWN, useTeams } from "../../testing/team.ts";

const start = useTeams();

const ASKED = { model: "tutti", input: "What is 6 × 7?" };
const USAGE = { total_tokens: OWN.total };

describe("a response that is kept", () => {
  it("is read again whole, as a stream and by its input, until it is deleted", async () => {
    const client = connect(await start());
    const asked = { ...ASKED, instructions: "Be short.", metadata: { team: "a" } };
    const made = await client.responses.create(asked);
    const again = await client.responses.retrieve(made.id);
    expect(again).toEqual(made);
    const events = await readEvents(await client.responses.retrieve(made.id, { stream: true }));
    expect(events[0]!.type).toBe("response.created");
    expect(textOf(events)).toBe(ANSWER);
    const { id, status, usage, output } = made;
    expect(lastOf(events)).toMatchObject({ id, status, usage, output });
    const items = await client.responses.inputItems.list(made.id);
    expect(items.data).toMatchObject([
      { type: "message", role: "user", content: [{ type: "input_text", text: ASKED.input }] },
    ]);
    await client.responses.delete(made.id);
    await expect(client.responses.retrieve(made.id)).rejects.toBeInstanceOf(NotFoundError);
    const next = { ...ASKED, previous_response_id: made.id };
    await expect(client.responses.create(next)).rejects.toBeInstanceOf(NotFoundError);
  });

  it("is not there for another key", async () => {
    const gateway = await start({ keys: [{ name: "a" }, { name: "b" }] });
    const [own, other] = gateway.secrets.map((secret) => connect(gateway, secret));
    const made = await own!.responses.create(ASKED);
    await expect(other!.responses.retrieve(made.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(other!.responses.delete(made.id)).rejects.toBeInstanceOf(NotFoundError);
    const error = await other!.responses
      .create({ ...ASKED, previous_response_id: made.id })
      .catch((error) => error);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.param).toBe("previous_response_id");
    expect((await own!.responses.retrieve(made.id)).output_text).toBe(ANSWER);
  });
});

describe("in the background", () => {
  it("a response is queued, then running, then completed", async () => {
    const { release, reply } = held();
    const gateway = await start({ answer: reply });
    const client = connect(gateway);
    const queued = await client.responses.create({ ...ASKED, background: true });
    expect(queued).toMatchObject({ status: "queued", background: true, output: [] });
    await expect.poll(() => gateway.askedOf("alpha").length).toBe(1);
    expect((await client.responses.retrieve(queued.id)).status).toBe("in_progress");
    release();
    await expect.poll(async () => (await client.responses.retrieve(queued.id)).status).toBe("completed");
    const done = await client.responses.retrieve(queued.id);
    expect(done).toMatchObject({ id: queued.id, output_text: ANSWER, usage: USAGE, background: true });
  });

  it("one that cannot even begin is refused, and not queued for nobody to find", async () => {
    const gateway = await start();
    const workflow = { steps: [{ worker: 99, subtask: "Answer it.", access: [] }] };
    const asked = { ...ASKED, background: true, tutti: { workflow } };
    const error = await connect(gateway)
      .responses.create(asked)
      .catch((error) => error);
    expect(error).toMatchObject({ status: 400 });
    expect(error.message).toContain("workflow");
  });

  it("a running one is followed by a stream that was not there at the beginning", async () => {
    const { release, reply } = held();
    const gateway = await start({ answer: reply });
    const client = connect(gateway);
    const queued = await client.responses.create({ ...ASKED, background: true });
    await expect.poll(() => gateway.askedOf("alpha").length).toBe(1);
    const stream = await client.responses.retrieve(queued.id, { stream: true });
    release();
    const events = await readEvents(stream);
    expect(events[0]!.type).toBe("response.created");
    expect(lastOf(events)).toMatchObject({ id: queued.id, status: "completed", usage: USAGE });
    expect(textOf(events)).toBe(ANSWER);
  });

  it("a stream may be left: the run goes on and is read again", async () => {
    const { release, reply } = held();
    const gateway = await start({ answer: reply });
    const client = connect(gateway);
    const stream = await client.responses.create({ ...ASKED, background: true, stream: true });
    const { value: created } = await stream[Symbol.asyncIterator]().next();
    expect(created).toMatchObject({ type: "response.created", response: { background: true } });
    await expect.poll(() => gateway.askedOf("alpha").length).toBe(1);
    stream.controller.abort();
    release();
    const { id } = created.response;
    await expect.poll(async () => (await client.responses.retrieve(id)).status).toBe("completed");
    expect(gateway.askedOf("alpha")).toHaveLength(1);
  });

  it("a response is cancelled, and cancelled it stays", async () => {
    const gateway = await start({ answer: () => ({ hang: true }) });
    const client = connect(gateway);
    const queued = await client.responses.create({ ...ASKED, background: true });
    await expect.poll(() => gateway.askedOf("alpha").length).toBe(1);
    expect((await client.responses.cancel(queued.id)).status).toBe("cancelled");
    expect((await client.responses.retrieve(queued.id)).status).toBe("cancelled");
    expect((await client.responses.cancel(queued.id)).status).toBe("cancelled");
    await expect.poll(() => gateway.askedOf("alpha")[0]!.closedEarly).toBe(true);
  });

  it("a response that fails says so when it is asked for", async () => {
    const fault = { status: 500, body: { error: { message: "out of order" } } };
    const client = connect(await start({ answer: () => fault, others: () => fault }));
    const queued = await client.responses.create({ ...ASKED, background: true });
    await expect.poll(async () => (await client.responses.retrieve(queued.id)).status).toBe("failed");
    expect((await client.responses.retrieve(queued.id)).error?.code).toBe("server_error");
  });
});
