import { afterEach, describe, expect, it, vi } from "vitest";
import { broken, json, streamed, stubGateway } from "../../src/testing/web-gateway.ts";
import { ApiError, getJson, keyWanted, listRuns, readEvents, sendJson, setKey, toUrl } from "./api.ts";

afterEach(() => {
  setKey(undefined);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const signal = () => new AbortController().signal;

describe("addresses", () => {
  it("are relative to the page, whatever path is in front of it", () => {
    stubGateway();
    expect(toUrl("v1/runs", { limit: 5, search: "", key: undefined }).href).toBe(
      "http://127.0.0.1:7878/some/prefix/v1/runs?limit=5",
    );
  });

  it("of the next page hold the filter and the cursor", async () => {
    const asked = stubGateway(json(200, { data: [], has_more: false }));
    await listRuns({ state: "ended" }, "before=5&before_id=r_1");
    expect(new URL(asked[0]!.url).search).toBe("?state=ended&before=5&before_id=r_1");
  });
});

describe("requests", () => {
  it("send the key, and a body as JSON; an answer may be empty", async () => {
    const asked = stubGateway(new Response("", { status: 200 }), json(200, { ok: 1 }));
    setKey("sk-1");
    expect(await sendJson("DELETE", "v1/keys/k", { a: 1 })).toBeUndefined();
    expect(await getJson("v1/pool")).toEqual({ ok: 1 });
    expect(asked[0]).toMatchObject({
      method: "DELETE",
      headers: { authorization: "Bearer sk-1", "content-type": "application/json" },
      body: { a: 1 },
    });
    expect(asked[1]!.headers).toEqual({ authorization: "Bearer sk-1" });
  });

  it("fail with the gateway's own words, or with its status where it has none", async () => {
    stubGateway(
      json(409, { error: { message: "It is running.", code: "conflict" } }),
      new Response("<html>", { status: 502 }),
    );
    await expect(getJson("v1/x")).rejects.toMatchObject({
      ...{ status: 409, code: "conflict", message: "It is running." },
    });
    await expect(getJson("v1/x")).rejects.toMatchObject({
      ...{ status: 502, code: "failed", message: "The gateway answered 502." },
    });
  });

  it("say that the gateway cannot be reached, but not that they were cancelled", async () => {
    stubGateway(new TypeError("fetch failed"));
    await expect(getJson("v1/x")).rejects.toMatchObject({ status: 0, code: "unreachable" });
    const leaving = new AbortController();
    leaving.abort();
    const cancelled = await getJson("v1/x", undefined, leaving.signal).catch((error: unknown) => error);
    expect(cancelled).not.toBeInstanceOf(ApiError);
  });

  it("ask for a key after a 401, until one is given", async () => {
    stubGateway(json(401, { error: { message: "No key." } }));
    const heard: boolean[] = [];
    const leave = keyWanted.subscribe(() => heard.push(keyWanted.get()));
    await expect(getJson("v1/x")).rejects.toThrow("No key.");
    setKey("sk-2");
    leave();
    expect(heard).toEqual([true, false]);
  });
});

describe("events of a run", () => {
  const event = (id: number) => `id: ${id}\ndata: {"type":"step-delta","at":${id}}\n\n`;
  const read = async (id: string) => {
    const times: number[] = [];
    for await (const { at } of readEvents(id, signal())) times.push(at);
    return times;
  };

  it.each([1, 3, 1000])("arrive whole, in pieces of %i bytes", async (size) => {
    stubGateway(streamed([1, 2, 3].map(event).join(""), size));
    expect(await read("r_1")).toEqual([1, 2, 3]);
  });

  it("go on behind the last one that arrived where the connection broke", async () => {
    vi.useFakeTimers();
    const asked = stubGateway(broken(event(1) + event(2)), streamed(event(3), 100));
    const times = read("r/1");
    await vi.runAllTimersAsync();
    expect(await times).toEqual([1, 2, 3]);
    expect(asked.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "2"]);
    expect(asked[1]!.url).toContain("/v1/runs/r%2F1/events");
  });

  it("are not asked for again where there is no such run", async () => {
    const asked = stubGateway(json(404, { error: { message: "No run." } }));
    await expect(read("r_1")).rejects.toThrow("No run.");
    expect(asked).toHaveLength(1);
  });

  it("are given up after five breaks in a row", async () => {
    vi.useFakeTimers();
    const asked = stubGateway(...Array.from({ length: 9 }, () => new TypeError("down")));
    const times = expect(read("r_1")).rejects.toMatchObject({ code: "unreachable" });
    await vi.runAllTimersAsync();
    await times;
    expect(asked).toHaveLength(6);
  });
});
