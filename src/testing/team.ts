// A team behind a gateway, for the suites of real clients: beta thinks, gamma checks, alpha answers. Every model
// has figures of its own, so that a sum which leaves one of them out, or takes it twice, is a wrong sum.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { type KeySettings, openKeyRing } from "../gateway/access/keys.ts";
import { renderWorkflow } from "../workflow/render.ts";
import type { Workflow } from "../workflow/types.ts";
import type { ChatReply, ChatRequest } from "./gateway/chat-server.ts";
import { PRICE, startTestGateway, type TestGateway, type TestGatewayOptions } from "./gateway/gateway.ts";

export const ANSWER = "Six times seven is forty-two.";

const THOUGHT = "A thought.";

const TEAM: Workflow = {
  steps: [
    { worker: 1, subtask: "Think about it.", access: [] },
    { worker: 2, subtask: "Check the thought.", access: [0] },
    { worker: 0, subtask: "Answer the user.", access: "all" },
  ],
};

const FIGURES = {
  planner: { input: 101, cached: 0, output: 23, reasoning: 0 },
  beta: { input: 31, cached: 0, output: 7, reasoning: 0 },
  gamma: { input: 41, cached: 8, output: 9, reasoning: 0 },
  alpha: { input: 53, cached: 5, output: 11, reasoning: 3 },
};
type Model = keyof typeof FIGURES;

/** What these calls took together, as a provider would say it of one. */
export function sumOf(...models: Model[]) {
  const sum = (name: keyof (typeof FIGURES)["alpha"]) =>
    models.reduce((total, model) => total + FIGURES[model][name], 0);
  const [input, output] = [sum("input"), sum("output")];
  return {
    input,
    cached: sum("cached"),
    output,
    reasoning: sum("reasoning"),
    total: input + output,
    costUsd: (input * PRICE.inputUsd + output * PRICE.outputUsd) / 1e6,
  };
}

/** All that a reply says was taken: the answer's own tokens and what stands beside them, in any dialect. */
export function toWhole(usage: object): number {
  const counts = Object.entries(usage).flatMap(([name, value]) =>
    typeof value === "object" && value !== null ? Object.entries(value) : [[name, value]],
  );
  const isWanted = (name: string) => /^(total|orchestration_(input|output))_tokens$/.test(name);
  return counts.reduce((sum, [name, count]) => (isWanted(name) ? sum + Number(count) : sum), 0);
}

/** All four of them, and those of them that are orchestration. */
export const WHOLE = sumOf("planner", "beta", "gamma", "alpha");
export const OTHERS = sumOf("planner", "beta", "gamma");
export const OWN = sumOf("alpha");

/** A reply with the figures of the model that gives it, unless it has its own. */
function withFigures(model: string, reply: ChatReply): ChatReply {
  const spoken = typeof reply === "string" ? { text: reply } : reply;
  if (!("text" in spoken)) return reply;
  const { input, cached, output, reasoning } = FIGURES[model as Model];
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
  return { usage, ...spoken };
}

export interface TeamOptions extends Omit<TestGatewayOptions, "reply" | "plan"> {
  /** What alpha replies, whose reply is the answer. */
  answer?: (request: ChatRequest) => ChatReply | Promise<ChatReply>;
  /** What beta and gamma reply. */
  others?: (request: ChatRequest) => ChatReply | Promise<ChatReply>;
  keys?: KeySettings[];
}

export interface TeamGateway extends TestGateway {
  /** With `/v1`, as OpenAI's clients want it. */
  baseURL: string;
  /** Of `keys`, in order. */
  secrets: string[];
  /** What one model was asked, in order. */
  askedOf(model: Model): TestGateway["upstream"]["requests"];
}

/** Call it once in a test file: what it starts ends with each test. */
export function useTeams(): (options?: TeamOptions) => Promise<TeamGateway> {
  let closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    const closing = closers.map((close) => close());
    closers = [];
    await Promise.all(closing);
  });
  return async (options = {}) => {
    const { answer = () => ANSWER, others = () => THOUGHT, keys = [], ...rest } = options;
    const home = mkdtempSync(join(tmpdir(), "tutti-team-"));
    closers.push(async () => rmSync(home, { recursive: true, force: true }));
    const ring = openKeyRing({ env: { TUTTI_HOME: home } });
    const secrets: string[] = [];
    for (const settings of keys) secrets.push((await ring.create(settings)).secret);
    const gateway = await startTestGateway({
      home,
      ...rest,
      reply: async (request) =>
        withFigures(request.model, await (request.model === "alpha" ? answer : others)(request)),
      plan: async (request) => {
        const text = JSON.stringify(request.messages);
        // It is a worker too, and takes the place of those that fail.
        if (!text.includes("access_list")) return withFigures(request.model, await others(request));
        // A second plan of the same run is the verdict on the first: accepted.
        const plan = text.includes(THOUGHT) ? { steps: [] } : TEAM;
        return withFigures(request.model, renderWorkflow(plan));
      },
    });
    closers.unshift(() => gateway.close());
    return {
      ...gateway,
      baseURL: `${gateway.url}/v1`,
      secrets,
      askedOf: (model) => gateway.upstream.requests.filter((request) => request.model === model),
    };
  };
}

/** Calls a tool for each city, all at once, then says what it was told. */
export function askWeather(...cities: string[]): (request: ChatRequest) => ChatReply {
  return ({ messages }) => {
    const results = messages.filter(({ role }) => role === "tool");
    if (results.length > 0) return `It says: ${results.map(({ content }) => content).join(", ")}.`;
    const toolCalls = cities.map((city, index) => ({
      id: `provider-${index}`,
      name: "weather",
      arguments: JSON.stringify({ city }),
    }));
    return { text: "", toolCalls };
  };
}

/** Calls a tool for one city after the other, with a word beside each call, and is then content. */
export function askOneByOne(...cities: string[]): (request: ChatRequest) => ChatReply {
  return ({ messages }) => {
    const seen = messages.filter(({ role }) => role === "tool").length;
    const city = cities[seen];
    if (city === undefined) return "All seen.";
    const call = { id: `provider-${seen}`, name: "weather", arguments: JSON.stringify({ city }) };
    return { text: `Looking at ${city}.`, toolCalls: [call] };
  };
}

/** A reply that waits until the test lets it go. */
export function held(reply: ChatReply = ANSWER): { release(): void; reply(): Promise<ChatReply> } {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { release: () => release(), reply: () => gate.then(() => reply) };
}

/** A `fetch` for a client, which counts what it sends: a repeat is one more. */
export function countFetches() {
  const counted = { sent: 0, fetch: ask };
  function ask(...parameters: Parameters<typeof fetch>): Promise<Response> {
    counted.sent++;
    return fetch(...parameters);
  }
  return counted;
}

/** One red pixel. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
