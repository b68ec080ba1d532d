// Where a request goes and whom it says it is for: the target, `Host` and `Origin`.

import fc from "fast-check";
import { isTuttiError } from "../../src/base/errors.ts";
import type { Connection } from "../../src/http/connection.ts";
import { Router } from "../../src/http/router.ts";
import { checkSameSite, toHostName } from "../../src/http/same-site.ts";
import { toTarget } from "../../src/http/target.ts";
import { type FuzzTarget, must, toText, toTwo } from "../target.ts";

const router = new Router<string>();
for (const path of ["/v1/runs/:id", "/v1/models/*id", "/v1/runs/:id/events", "/"])
  router.add("GET", path, path);

export const address: FuzzTarget = {
  name: "address",
  tokens: ["/v1/runs/", "?", "&", "=", "%2e%2e", "%", "http://", "//", "#"],
  inputs: fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string()),
  check(input) {
    const text = toText(input);
    const { path, query } = toTarget(text);
    must(!path.includes("?"), "a path holds its query");
    must(Object.getPrototypeOf(query) === null, "a query has names of its own");
    for (const params of [router.find("GET", path)?.params ?? {}])
      must(
        Object.values(params).every((value) => typeof value === "string"),
        "a parameter is no text",
      );
    router.methodsOf(path);
  },
};

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i;

export const host: FuzzTarget = {
  name: "host",
  tokens: [
    "localhost",
    "127.0.0.1",
    "[::1]",
    ":7878",
    "@",
    "http://",
    ".evil.example",
    "trainer.internal",
    "%00",
    "\n%%\n",
  ],
  inputs: fc
    .tuple(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string()), fc.webUrl())
    .map((two) => two.join("\n%%\n")),
  check(input) {
    const [given, origin] = toTwo(input);
    const headers: Record<string, string> = { host: given, ...(origin !== "" && { origin }) };
    const connection = { header: (name: string) => headers[name] } as unknown as Connection;
    const name = toHostName(given);
    if (name !== undefined) must(name === name.toLowerCase() && !/[/@\s]/.test(name), `${name} is no name`);
    try {
      checkSameSite(connection, { allowedHosts: ["trainer.internal"], refusal: "no" });
    } catch (error) {
      if (isTuttiError(error)) return;
      throw error;
    }
    // Whoever is let in must be so in the eyes of a browser too.
    must(URL.canParse(`http://${given}`), `no browser would send the host ${JSON.stringify(given)}`);
    const { hostname } = new URL(`http://${given}`);
    must(LOOPBACK.test(hostname) || hostname === "trainer.internal", `${JSON.stringify(given)} was let in`);
    if (origin !== "")
      must(
        /^https?:/i.test(new URL(origin).href) && new URL(origin).host === given.toLowerCase(),
        `${origin} was let in`,
      );
  },
};
