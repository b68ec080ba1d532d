// The one door to the gateway. Addresses are relative to the page, so that it works behind a path prefix. The key
// is kept for this tab only (sessionStorage), and is asked for when the gateway answers 401.

import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Run } from "../../src/perform/run.ts";
import type { RunEvent, RunSummary } from "../../src/store/types.ts";

const KEY = "tutti-key";

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

// ---- The key ----------------------------------------------------------------------------------

let isKeyWanted = false;
const listeners = new Set<() => void>();

/** For useSyncExternalStore: whether the gateway wants a key that it has not got. */
export const keyWanted = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  get: () => isKeyWanted,
};

function wantKey(value: boolean): void {
  if (isKeyWanted === value) return;
  isKeyWanted = value;
  for (const listener of listeners) listener();
}

export function hasKey(): boolean {
  return sessionStorage.getItem(KEY) !== null;
}

/** Undefined forgets it. */
export function setKey(key: string | undefined): void {
  if (key) sessionStorage.setItem(KEY, key);
  else sessionStorage.removeItem(KEY);
  wantKey(false);
}

// ---- Requests ---------------------------------------------------------------------------------

export type QueryValues = Record<string, string | number | boolean | undefined>;

interface RequestOptions {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  query?: QueryValues;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** `path` without a slash in front: "v1/runs". Undefined and empty values of the query are left out. */
export function toUrl(path: string, query: QueryValues = {}): URL {
  const url = new URL(path, document.baseURI);
  url.hash = "";
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  return url;
}

/** Throws ApiError for every answer that is none. */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = "GET", query, body, headers, signal } = options;
  const key = sessionStorage.getItem(KEY);
  const response = await fetch(toUrl(path, query), {
    method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "unreachable", "The gateway cannot be reached. Is `tutti serve` still running?");
  });
  if (response.ok) return response;
  if (response.status === 401) wantKey(true);
  throw await toError(response);
}

export async function getJson<T>(path: string, query?: QueryValues, signal?: AbortSignal): Promise<T> {
  return (await request(path, { query, signal })).json() as Promise<T>;
}

export async function sendJson<T>(
  method: "POST" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
): Promise<T> {
  const text = await (await request(path, { method, body })).text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

async function toError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as {
    error?: { message?: string; code?: string | null };
  };
  const message = body.error?.message ?? `The gateway answered ${response.status}.`;
  return new ApiError(response.status, body.error?.code ?? "failed", message);
}

// ---- Runs -------------------------------------------------------------------------------------

export interface RunPage {
  data: RunSummary[];
  has_more: boolean;
  /** A piece of the query for the next page. */
  next?: string;
}

/** With the runs that performed steps for `self`. */
export type ShownRun = Run & { nested?: Run[] };

export function listRuns(query: QueryValues, next?: string, signal?: AbortSignal): Promise<RunPage> {
  const cursor = Object.fromEntries(new URLSearchParams(next ?? ""));
  return getJson("v1/runs", { ...query, ...cursor }, signal);
}

export function showRun(id: string, signal?: AbortSignal): Promise<ShownRun> {
  return getJson(`v1/runs/${encodeURIComponent(id)}`, undefined, signal);
}

export function cancelRun(id: string): Promise<ShownRun> {
  return sendJson("POST", `v1/runs/${encodeURIComponent(id)}/cancel`);
}

/** All that was said of it, this included. */
export function rateRun(id: string, score: number): Promise<{ data?: Run["feedback"] }> {
  return sendJson("POST", `v1/runs/${encodeURIComponent(id)}/feedback`, { score });
}

/**
 * The events of a run: those that were, then those that come, until it is over. A connection that breaks is
 * taken up again behind the last event that arrived.
 */
export async function* readEvents(id: string, signal: AbortSignal): AsyncGenerator<RunEvent> {
  let lastId = "";
  for (let failures = 0; ; ) {
    try {
      const response = await request(`v1/runs/${encodeURIComponent(id)}/events`, {
        headers: lastId === "" ? {} : { "last-event-id": lastId },
        signal,
      });
      for await (const { id: eventId, data } of readServerSent(response)) {
        failures = 0;
        if (eventId !== undefined) lastId = eventId;
        yield JSON.parse(data) as RunEvent;
      }
      return;
    } catch (error) {
      const isFinal = error instanceof ApiError && error.status >= 400 && error.status < 500;
      if (signal.aborted || isFinal || ++failures > 5) throw error;
      await new Promise((resolve) => setTimeout(resolve, 300 * 2 ** failures));
    }
  }
}

export async function* readServerSent(response: Response): AsyncGenerator<{ id?: string; data: string }> {
  const reader = response
    .body!.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
