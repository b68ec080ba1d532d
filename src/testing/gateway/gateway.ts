// A gateway for tests: the real one over a real socket, with models behind it that a test scripts (chat-server.ts).
// The model `planner` writes the plans; by default it sends everything to `alpha`, in one step.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TuttiConfigInput } from "../../config/schema.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../../gateway/server.ts";
import { createLog } from "../../http/log.ts";
import type { Price } from "../../worker/types.ts";
import { renderWorkflow } from "../../workflow/render.ts";
import type { Workflow } from "../../workflow/types.ts";
import { type ChatReply, type ChatRequest, type ChatServer, startChatServer } from "./chat-server.ts";

export const PRICE = { inputUsd: 1, outputUsd: 2 };

export interface TestGatewayOptions {
  /** What `alpha`, `beta` and `gamma` reply. */
  reply?: (request: ChatRequest) => ChatReply | Promise<ChatReply>;
  /** Numbers: 0 alpha, 1 beta, 2 gamma, 3 planner, 4 consensus. */
  plan?: Workflow | string | ((request: ChatRequest) => ChatReply | Promise<ChatReply>);
  /** Of all models. */
  price?: Price;
  config?: TuttiConfigInput;
  dialects?: GatewayOptions["dialects"];
  /** Whether they think aloud is found out from their first reply, which is held until then. */
  isThinkingUnknown?: boolean;
  /** Another home than a fresh one, such as that of a gateway before. */
  home?: string;
  /** Variables beside TUTTI_HOME, such as keys of providers. */
  env?: Record<string, string>;
}

export interface TestGateway {
  url: string;
  gateway: Gateway;
  upstream: ChatServer;
  home: string;
  env: Record<string, string>;
  /** Lines of the log, parsed. */
  log: Record<string, unknown>[];
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Requests that workers got, without those of the planner. */
  asked(): ChatServer["requests"];
  close(): Promise<void>;
}

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { reply = () => "An answer.", plan = { steps: [{ worker: 0, subtask: "Answer it.", access: [] }] } } =
    options;
  const upstream = await startChatServer({
    models: ["alpha", "beta", "gamma", "planner"],
    reply: (request) => {
      if (request.model !== "planner") return reply(request);
      if (typeof plan === "function") return plan(request);
      return typeof plan === "string" ? plan : renderWorkflow(plan);
    },
  });
  const home = options.home ?? mkdtempSync(join(tmpdir(), "tutti-gateway-"));
  const env = { ...options.env, TUTTI_HOME: home };
  const log: Record<string, unknown>[] = [];
  const worker = (name: string) => ({
    id: `stub/${name}`,
    model: `stub/${name}`,
    baseUrl: upstream.baseUrl,
    price: options.price ?? PRICE,
    // Most tests are about streams: they begin with the first reply.
    thinking: options.isThinkingUnknown ? undefined : ("tagged" as const),
  });
  const gateway = await startGateway({
    config: {
      workers: ["alpha", "beta", "gamma", "planner"].map(worker),
      conductor: "stub/planner",
      retries: 0,
      ...options.config,
    },
    env,
    dialects: options.dialects,
    log: createLog({ write: (line) => void log.push(JSON.parse(line)) }),
  });
  return {
    url: gateway.url,
    gateway,
    upstream,
    home,
    env,
    log,
    post: (path, body, headers = {}) =>
      fetch(`${gateway.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    asked: () => upstream.requests.filter(({ model }) => model !== "planner"),
    async close() {
      await gateway.close();
      await upstream.close();
      if (options.home === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}
