// A gateway with keys, for tests of what its operators see; closed after each test.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { type KeySettings, openKeyRing } from "../../gateway/access/keys.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "./gateway.ts";

/** Called after the test, the last one first. */
export const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (let close = closing.pop(); close; close = closing.pop()) await close();
});

export interface Keyed extends TestGateway {
  secrets: Record<string, string>;
  get(path: string, key?: string, headers?: Record<string, string>): Promise<Response>;
  ask(body: object, key?: string, path?: string): Promise<Response>;
}

/** Keys by their name. */
export async function start(
  keys: Record<string, Omit<KeySettings, "name">> = {},
  options: TestGatewayOptions = {},
): Promise<Keyed> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), "tutti-operations-"));
  if (options.home === undefined) closing.push(() => rmSync(home, { recursive: true, force: true }));
  const ring = openKeyRing({ env: { TUTTI_HOME: home } });
  const secrets: Record<string, string> = {};
  for (const [name, settings] of Object.entries(keys))
    secrets[name] = (await ring.create({ name, ...settings })).secret;
  const gateway = await startTestGateway({ ...options, home });
  closing.push(() => gateway.close());
  const auth = (key: string | undefined): Record<string, string> =>
    key === undefined ? {} : { authorization: `Bearer ${secrets[key] ?? key}` };
  return {
    ...gateway,
    secrets,
    get: (path, key, headers = {}) =>
      fetch(`${gateway.url}${path}`, { headers: { ...auth(key), ...headers } }),
    ask: (body, key, path = "/v1/chat/completions") => gateway.post(path, body, auth(key)),
  };
}

/** Replies as tests read them: by their names, whatever their shape. */
export type Loose = ReturnType<typeof JSON.parse>;

export async function body(response: Response | Promise<Response>): Promise<Loose> {
  return (await response).json();
}

let asked = 0;
/** Never the same twice, so that none joins another. */
export const question = (more: object = {}) => ({
  model: "tutti",
  messages: [{ role: "user", content: `Question ${++asked}?` }],
  ...more,
});

/** A reply that waits until the test lets it go. */
export function held() {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { release, reply: () => gate.then(() => "An answer.") };
}
