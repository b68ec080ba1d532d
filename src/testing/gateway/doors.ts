// The three doors of the gateway with a request for each that is answered, and what an error looks like there.

import { expect } from "vitest";
import type { TestGateway } from "./gateway.ts";

/** Replies as tests read them: by their names, whatever their shape. */
export type Loose = ReturnType<typeof JSON.parse>;

export interface Door {
  name: string;
  path: string;
  /** A request that is answered. */
  valid: Record<string, unknown>;
}

export const QUESTION = "What is 6 × 7?";
export const DOORS: Door[] = [
  {
    name: "chat",
    path: "/v1/chat/completions",
    valid: { model: "tutti", messages: [{ role: "user", content: QUESTION }] },
  },
  { name: "responses", path: "/v1/responses", valid: { model: "tutti", input: QUESTION } },
  {
    name: "messages",
    path: "/v1/messages",
    valid: { model: "tutti", max_tokens: 100, messages: [{ role: "user", content: QUESTION }] },
  },
];

export function expectErrorShape(name: string, body: Loose): void {
  expect(body.error.message).toMatch(/\S/);
  if (name === "messages") {
    expect(body.type).toBe("error");
    expect(body.error.type).toMatch(/_error$|^request_too_large$/);
  } else {
    expect(Object.keys(body.error).sort()).toEqual(["code", "message", "param", "type"]);
  }
}

/** The error with this status, in the dialect's shape. */
export async function refused(
  gateway: TestGateway,
  door: Door,
  sent: unknown,
  status: number,
  headers?: Record<string, string>,
) {
  const response = await gateway.post(door.path, sent, headers);
  const body: Loose = await response.json();
  expect({ status: response.status, body }).toMatchObject({ status });
  expectErrorShape(door.name, body);
  expect(response.headers.get("x-request-id")).toMatch(/^req_/);
  return body.error;
}

/** Whatever was sent: it is alive, and can still answer. */
export async function expectAlive(gateway: TestGateway): Promise<void> {
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  expect((await gateway.post(DOORS[0]!.path, DOORS[0]!.valid)).status).toBe(200);
  expect(gateway.log.filter(({ level }) => level === "error")).toEqual([]);
}
