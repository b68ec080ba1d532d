// Simulated workers behind the same port as real models: their replies stream, take their time, cost
// tokens and can be stopped. What they reply is decided in reply.ts.

import { setTimeout as sleep } from "node:timers/promises";
import { TuttiError } from "../base/errors.ts";
import { createRandom, hashSeed } from "../base/random.ts";
import { textOf } from "../worker/brief.ts";
import type { FinishReason, Message, Usage, Worker, WorkerEvent, WorkerRequest } from "../worker/types.ts";
import type { Player } from "./players.ts";
import { findProblem } from "./reading.ts";
import { replyTo } from "./reply.ts";
import { writeRefusal } from "./templates/wording.ts";

const CHARACTERS_PER_TOKEN = 4;
/** Delays differ from ask to ask by up to this share. */
const JITTER = 0.25;

/** `delayScale` 1 is simulated time as it is; 0 sets no timer at all. `reply` decides what is said. */
export function createRehearsalWorker(player: Player, delayScale: number, reply = replyTo): Worker {
  return {
    id: player.id,
    kind: "model",
    isSimulated: true,
    async *ask(request, signal): AsyncIterable<WorkerEvent> {
      stopIfAborted(player, signal);
      const { text, reason } = cut(compose(player, request, reply), request);
      if (delayScale > 0) yield* speak(player, text, request, delayScale, signal);
      else if (text !== "") yield { type: "text-delta", text };
      stopIfAborted(player, signal);
      yield { type: "finish", usage: usageOf(request.messages, text), reason };
    },
  };
}

/** A question that no family recognises is refused: a refusal claims no answer. */
function compose(player: Player, request: WorkerRequest, reply: typeof replyTo): string {
  const { brief, seed = 0 } = request;
  const asked = brief?.task.messages ?? request.messages.filter(({ role }) => role === "user").slice(-1);
  const problem = findProblem(asked);
  return problem ? reply(player, problem, { seed, brief }) : writeRefusal(asked.map(textOf).join("\n"));
}

/** How long this reply takes, in simulated milliseconds. */
export function delayOf(
  { id, delay }: Player,
  text: string,
  seed: number,
): { firstMs: number; tokenMs: number; totalMs: number } {
  const factor = 1 + JITTER * (2 * createRandom(hashSeed("delay", id, seed, text.length)).next() - 1);
  const firstMs = delay.firstMs * factor;
  const tokenMs = delay.tokenMs * factor;
  return { firstMs, tokenMs, totalMs: firstMs + tokenMs * tokensIn(text) };
}

/** Word by word, a few at a time so that no timer is shorter than the clock can keep. */
async function* speak(
  player: Player,
  text: string,
  request: WorkerRequest,
  delayScale: number,
  signal: AbortSignal,
): AsyncIterable<WorkerEvent> {
  const { firstMs, tokenMs } = delayOf(player, text, request.seed ?? 0);
  await pause(player, firstMs * delayScale, signal);
  let owedMs = 0;
  for (const word of text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) {
    yield { type: "text-delta", text: word };
    owedMs += tokensIn(word) * tokenMs * delayScale;
    if (owedMs < 8) continue;
    await pause(player, owedMs, signal);
    owedMs = 0;
  }
}

async function pause(player: Player, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    stopIfAborted(player, signal);
  }
}

function stopIfAborted(player: Player, signal: AbortSignal): void {
  if (signal.aborted) throw new TuttiError("aborted", `Worker "${player.id}" was stopped.`);
}

/** Ends the text at a stop sequence, and at the largest reply allowed. */
function cut(
  text: string,
  { stop = [], maxOutputTokens }: WorkerRequest,
): { text: string; reason: FinishReason } {
  let end = text.length;
  for (const sequence of stop) {
    const at = sequence === "" ? -1 : text.indexOf(sequence);
    if (at >= 0 && at < end) end = at;
  }
  const longest = Math.max(0, Math.floor(maxOutputTokens)) * CHARACTERS_PER_TOKEN;
  if (end > longest) return { text: text.slice(0, longest), reason: "length" };
  return { text: text.slice(0, end), reason: "stop" };
}

function usageOf(messages: readonly Message[], text: string): Usage {
  let characters = 0;
  for (const message of messages) characters += textOf(message).length;
  const inputTokens = Math.ceil(characters / CHARACTERS_PER_TOKEN);
  return { inputTokens, outputTokens: tokensIn(text), cachedInputTokens: 0, reasoningTokens: 0 };
}

function tokensIn(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
