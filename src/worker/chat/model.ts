// A model behind chat completions, asked through undici itself: no fetch, no web streams, no schema for each
// event, which together were half the time of a request through the gateway. To provider.ts it looks like a model
// object of the AI SDK, and its failures carry the same fields.

import type { Readable } from "node:stream";
import { Agent } from "undici";
import type { StreamingModel } from "../provider.ts";
import { type ChatBodySettings, toChatPieces } from "./body.ts";
import { ChatCall } from "./call.ts";

export interface ChatModelSettings extends ChatBodySettings {
  baseUrl: string;
  apiKey?: string;
  /** Asked instead of undici where it is given. */
  fetch?: typeof globalThis.fetch;
}

/** Who waits how long is the performer's business; this is for those who ask without one. */
const SILENCE_MS = 900_000;

/** One for the process, with a pool for each origin. Idle connections do not keep the process alive. */
let agent: Agent | undefined;

export function createChatModel(settings: ChatModelSettings): StreamingModel {
  const { provider, model, baseUrl, apiKey, fetch } = settings;
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}/chat/completions`);
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "*/*",
    // What is compressed is held back until a block is full.
    "accept-encoding": "identity",
    "user-agent": "tutti",
  };
  if (apiKey) headers.authorization = `Bearer ${apiKey}`;
  const request = { origin: url.origin, path: url.pathname + url.search, method: "POST" as const, headers };
  return {
    specificationVersion: "v3",
    provider,
    modelId: model,
    supportedUrls: { "image/*": [/^https:\/\//] },
    doStream(options) {
      return new Promise((resolve, reject) => {
        const pieces = toChatPieces(options, settings);
        const { abortSignal, maxOutputTokens } = options;
        const call = new ChatCall({ resolve, reject }, abortSignal, { secret: apiKey, maxOutputTokens });
        const [only, ...others] = pieces;
        if (fetch) {
          const body = Buffer.concat(pieces).toString();
          void viaFetch(fetch, url, { method: "POST", headers, body }, call);
        } else if (others.length === 0) toAgent().dispatch({ ...request, body: only! }, call);
        else {
          const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
          const sized = { ...headers, "content-length": String(length) };
          toAgent().dispatch({ ...request, headers: sized, body: pieces as unknown as Readable }, call);
        }
      });
    },
  };
}

function toAgent(): Agent {
  agent ??= new Agent({ headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS, keepAliveTimeout: 30_000 });
  return agent;
}

/** Does with a fetch what undici does of itself: tells the call what comes, and waits where it wants a pause. */
async function viaFetch(
  fetch: typeof globalThis.fetch,
  url: URL,
  request: RequestInit,
  call: ChatCall,
): Promise<void> {
  const stopping = new AbortController();
  let goOn: (() => void) | undefined;
  let pause: Promise<void> | undefined;
  const controller = {
    get paused() {
      return pause !== undefined;
    },
    pause() {
      pause ??= new Promise((resolve) => {
        goOn = resolve;
      });
    },
    resume() {
      pause = undefined;
      goOn?.();
    },
    abort(reason: Error) {
      stopping.abort(reason);
      controller.resume();
    },
  };
  call.onRequestStart(controller);
  try {
    const response = await fetch(url.href, { ...request, signal: stopping.signal, redirect: "manual" });
    // fetch has taken the compression off.
    const { "content-encoding": _, ...headers } = Object.fromEntries(response.headers);
    call.onResponseStart(controller, response.status, headers);
    for await (const chunk of response.body ?? []) {
      call.onResponseData(controller, Buffer.from(chunk));
      await pause;
    }
    call.onResponseEnd();
  } catch (error) {
    call.onResponseError(controller, error as Error);
  }
}
