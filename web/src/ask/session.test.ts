import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { json, streamed, stubGateway } from "../../../src/testing/web-gateway.ts";
import type * as SessionModule from "./session.ts";

let session: typeof SessionModule;

beforeEach(async () => {
  vi.resetModules();
  session = await import("./session.ts");
});
afterEach(() => vi.unstubAllGlobals());

const answer = (text: string, id = "r_1") =>
  streamed(
    `data: ${JSON.stringify({ choices: [{ delta: { content: text } }], tutti: { run_id: id } })}\n\ndata: [DONE]\n\n`,
    20,
    { "x-tutti-run-id": id },
  );

describe("the conversation of a tab", () => {
  it("sends what was said before, without turns that have no answer", async () => {
    const asked = stubGateway(
      answer("One."),
      json(500, { error: { message: "Broken." } }),
      answer("Three.", "r_3"),
    );
    for (const question of ["1?", "2?", "3?"]) await session.askNext(question, { model: "tutti" });
    expect(asked.at(-1)!.body).toMatchObject({
      model: "tutti",
      messages: [
        { role: "user", content: "1?" },
        { role: "assistant", content: "One." },
        { role: "user", content: "3?" },
      ],
    });
    expect(session.readTurns().map(({ state, answer: text, runId }) => [state, text, runId])).toEqual([
      ["done", "One.", "r_1"],
      ["failed", "", undefined],
      ["done", "Three.", "r_3"],
    ]);
  });

  it("stops the run that is under way, also where its id comes later", async () => {
    const asked = stubGateway(answer("Too late."), json(200, {}));
    const asking = session.askNext("Long?", { model: "tutti" });
    expect(session.readTurns().at(-1)!.state).toBe("running");
    await session.stopRunning();
    await asking;
    expect(asked.map(({ url }) => new URL(url).pathname)).toEqual([
      "/some/prefix/v1/chat/completions",
      "/some/prefix/v1/runs/r_1/cancel",
    ]);
  });

  it("begins anew with nothing of the old one", async () => {
    const asked = stubGateway(answer("One."), answer("Two."));
    await session.askNext("1?", { model: "tutti" });
    session.clearTurns();
    expect(session.readTurns()).toEqual([]);
    await session.askNext("2?", { model: "tutti" });
    expect((asked[1]!.body as { messages: unknown[] }).messages).toHaveLength(1);
  });
});
