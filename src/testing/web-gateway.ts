// A gateway that never was, for tests of what talks to it: answers in the order they are given, and what was asked.

import { vi } from "vitest";

interface Asked {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: unknown;
}

type Answer = Response | Error;

/** Stands in for `fetch` and for what a browser keeps, until vi.unstubAllGlobals(). */
export function stubGateway(...answers: Answer[]): Asked[] {
  const asked: Asked[] = [];
  const kept = new Map<string, string>();
  vi.stubGlobal("document", { baseURI: "http://127.0.0.1:7878/some/prefix/#/runs" });
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  });
  vi.stubGlobal("fetch", async (url: URL, { method, headers, body, signal }: RequestInit) => {
    signal?.throwIfAborted();
    asked.push({
      ...{ url: url.href, method: method!, headers: headers as Record<string, string> },
      body: typeof body === "string" ? JSON.parse(body) : undefined,
    });
    const answer = answers.shift();
    if (!answer) throw new Error(`Nobody expected a request to ${url.pathname}`);
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return asked;
}

export function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status });
}

/** A stream whose bytes arrive in pieces of this size, wherever that cuts them. */
export function streamed(text: string, size: number, headers: Record<string, string> = {}): Response {
  const bytes = new TextEncoder().encode(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.slice(i * size, (i + 1) * size),
  );
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece) controller.enqueue(piece);
      else controller.close();
    },
  });
  return new Response(body, { headers });
}

/** A stream that gives this and then breaks. */
export function broken(text: string): Response {
  let isGiven = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isGiven) return controller.error(new TypeError("network error"));
      isGiven = true;
      controller.enqueue(new TextEncoder().encode(text));
    },
  });
  return new Response(body);
}
