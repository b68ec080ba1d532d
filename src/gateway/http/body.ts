// A request's body as a JSON object, or an error that says what is wrong with it.

import { isUtf8 } from "node:buffer";
import type { GatewayContext } from "../context.ts";
import { badRequest, type Fields, isFields } from "./object-reader.ts";
import type { Visit } from "./route.ts";

const DEEPEST = 200;

export function readBytes({ config }: GatewayContext, { connection }: Visit): Promise<Buffer> {
  return connection.readBody(config.gateway.maxBodyBytes);
}

export async function readBody(context: GatewayContext, visit: Visit): Promise<Fields> {
  return parseBody(await readBytes(context, visit));
}

export function parseBody(raw: Buffer): Fields {
  let body: unknown;
  // Read all the same, every bad byte would become another character, and with it another question.
  if (!isUtf8(raw)) throw badRequest("The body is not UTF-8.");
  try {
    body = JSON.parse(raw.toString("utf8"));
  } catch (error) {
    const why = raw.length === 0 ? "it is empty" : (error as Error).message.slice(0, 120);
    throw badRequest(`The body is not JSON: ${why}`);
  }
  if (!isFields(body)) throw badRequest("The body must be a JSON object.");
  if (isDeep(body)) throw badRequest(`The body is nested more than ${DEEPEST} levels deep.`);
  return body;
}

/** What is parsed is also written again, into the journal and to providers, which ends at some depth of the stack. */
function isDeep(body: object): boolean {
  let level = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true;
    const below: object[] = [];
    for (const value of level)
      for (const child of Object.values(value)) if (typeof child === "object" && child) below.push(child);
    level = below;
  }
  return false;
}
