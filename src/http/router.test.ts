import { array, assert, constantFrom, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { Router } from "./router.ts";

const router = new Router<string>();
for (const [method, path] of [
  ["GET", "/"],
  ["GET", "/v1/runs"],
  ["GET", "/v1/runs/:id"],
  ["DELETE", "/v1/runs/:id"],
  ["POST", "/v1/runs/:id/cancel"],
  ["GET", "/v1/models/*id"],
  ["GET", "/v1/a:b/*c"],
] as const)
  router.add(method, path, `${method} ${path}`);

const found = (method: string, path: string) => {
  const match = router.find(method, path);
  return match && [match.route, match.params.id];
};

describe("a path", () => {
  it.each([
    ["/", ["GET /", undefined]],
    ["/v1/runs", ["GET /v1/runs", undefined]],
    ["/v1/%72uns", ["GET /v1/runs", undefined]],
    ["/v1/runs/r_1", ["GET /v1/runs/:id", "r_1"]],
    ["/v1/runs/a%2Fb%20c", ["GET /v1/runs/:id", "a/b c"]],
    ["/v1/runs/%", ["GET /v1/runs/:id", "%"]],
    ["/v1/runs/%ff%41", ["GET /v1/runs/:id", "%ff%41"]],
    ["/v1/runs/..", ["GET /v1/runs/:id", ".."]],
    ["/v1/runs/__proto__", ["GET /v1/runs/:id", "__proto__"]],
    ["/v1/models/openai/gpt", ["GET /v1/models/*id", "openai/gpt"]],
    ["/v1/models/openai%2Fgpt", ["GET /v1/models/*id", "openai/gpt"]],
  ])("%s is served", (path, match) => {
    expect(found("GET", path)).toEqual(match);
  });

  it.each(["", "*", "v1/runs", "/v1", "/v1/runs/", "/v1/runs/a/b", "//v1/runs", "/v1/models", "/v1/models/"])(
    "%j is not",
    (path) => {
      expect(found("GET", path)).toBeUndefined();
      expect(router.methodsOf(path)).toEqual([]);
    },
  );

  it("has the methods that it is served with, and a HEAD wherever there is a GET", () => {
    expect(router.methodsOf("/v1/runs/x")).toEqual(["GET", "DELETE"]);
    expect(router.methodsOf("/v1/runs/x/cancel")).toEqual(["POST"]);
    expect(found("HEAD", "/v1/runs/x")).toEqual(found("GET", "/v1/runs/x"));
    expect(found("HEAD", "/v1/runs/x/cancel")).toBeUndefined();
    for (const method of ["", "OPTIONS", "get", "PUT"]) expect(found(method, "/v1/runs/x")).toBeUndefined();
  });

  it("is read as it was written, whatever is in it", () => {
    assert(
      property(string({ minLength: 1, unit: "binary" }), (id) => {
        expect(found("GET", `/v1/runs/${encodeURIComponent(id)}`)).toEqual(["GET /v1/runs/:id", id]);
      }),
    );
    const parts = constantFrom("v1", "runs", "models", "%2f", "%", "..", "", "x", "__proto__", "*id", ":id");
    assert(
      property(array(parts, { maxLength: 6 }), (path) => {
        const match = router.find("GET", `/${path.join("/")}`);
        expect(match !== undefined).toBe(router.methodsOf(`/${path.join("/")}`).includes("GET"));
      }),
    );
  });
});
