// `tutti serve` as people run it: a process of its own, with scripted models behind it. For what a test inside the
// same process cannot do: kill it, signal it, weigh it.

import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TuttiConfigInput } from "../../config/schema.ts";
import { type Finished, startTutti } from "../command.ts";
import { type ChatReply, type ChatRequest, startChatServer } from "./chat-server.ts";
import { PRICE } from "./gateway.ts";

export interface ServedOptions {
  home: string;
  /** Of a chat server with the models alpha, beta, gamma and planner. */
  upstream: string;
  config?: TuttiConfigInput;
  args?: string[];
}

export interface Served {
  url: string;
  finished: Promise<Finished>;
  signal(name: NodeJS.Signals): void;
  post(path: string, body: object, headers?: Record<string, string>): Promise<Response>;
}

export async function startServed({ home, upstream, config, args = [] }: ServedOptions): Promise<Served> {
  mkdirSync(home, { recursive: true });
  const file = join(home, "tutti.config.json");
  const workers = ["alpha", "beta", "gamma", "planner"].map((name) => ({
    id: `stub/${name}`,
    model: `stub/${name}`,
    baseUrl: upstream,
    price: PRICE,
    // Most tests are about streams: they begin with the first reply.
    thinking: "tagged" as const,
  }));
  writeFileSync(file, JSON.stringify({ workers, conductor: "stub/planner", retries: 0, ...config }));
  const { child, finished } = startTutti(
    ["serve", "--port", "0", "--json", "--log", "off", "--config", file, ...args],
    { env: { TUTTI_HOME: home }, cwd: home },
  );
  const [first] = await Promise.race([
    once(child.stdout!, "data"),
    finished.then(({ code, stderr }) => {
      throw new Error(`tutti serve ended with ${code}: ${stderr}`);
    }),
  ]);
  const { url } = JSON.parse(String(first)) as { url: string };
  return {
    url,
    finished,
    signal: (name) => void child.kill(name),
    post: (path, body, headers = {}) =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
  };
}

/** Models, a home, and as many gateways on them, one after the other, as a test starts. `closing` ends it all. */
export async function startScene(
  closing: (() => unknown)[],
  reply: (request: ChatRequest) => ChatReply | Promise<ChatReply>,
  plan = "",
) {
  const upstream = await startChatServer({
    models: ["alpha", "beta", "gamma", "planner"],
    reply: (request) => (request.model === "planner" ? plan : reply(request)),
  });
  closing.push(() => upstream.close());
  const home = mkdtempSync(join(tmpdir(), "tutti-served-"));
  closing.push(() => rmSync(home, { recursive: true, force: true }));
  const asked = (model: string) => upstream.requests.filter((request) => request.model === model).length;
  async function serve(options: Partial<ServedOptions> = {}): Promise<Served> {
    const served = await startServed({ home, upstream: upstream.baseUrl, ...options });
    closing.push(async () => {
      served.signal("SIGKILL");
      await served.finished;
    });
    return served;
  }
  return { upstream, home, asked, serve };
}
