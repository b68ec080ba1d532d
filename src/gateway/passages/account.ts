// Files and batches: kept by the provider for the account whose key is used, so all keys of the gateway share them. They are
// passed on as they come, for whoever owns the gateway: without keys its own machine, with keys admins and those that were
// created with --allow-fields files,batches. Nothing is journaled: what a batch costs only its provider knows.

import { TuttiError } from "../../base/errors.ts";
import { type RelayTarget, relayTargetOf } from "../../config/endpoint.ts";
import type { GatewayKey } from "../access/keys.ts";
import type { GatewayContext } from "../context.ts";
import { chatRelay } from "../dialect/chat/relay.ts";
import type { Visit } from "../http/route.ts";
import { relay } from "../relay/relay.ts";
import { toUpstream } from "../relay/target.ts";
import { isAllowedMember } from "../runs/models.ts";
import type { Handler, Route } from "../types.ts";

type Kind = "files" | "batches";
const HEADER = "x-tutti-provider";
/** Of the address, passed on. */
const QUERY = ["after", "limit", "order", "purpose"];
/** The reply is no model's: its bytes are bounded by the relay, not its tokens. */
const BOUND = { inputTokens: () => 0, outputTokens: 0, isStated: true };

const ANY = "*";

function checkOwner(key: GatewayKey | undefined, kind: Kind): void {
  const allowed = key?.allowFields ?? [];
  if (!key || key.isAdmin || allowed.includes(kind) || allowed.includes(ANY)) return;
  throw new TuttiError(
    "forbidden",
    `All keys share the provider's ${kind}. Have a key created with: --admin, or --allow-fields ${kind}`,
  );
}

/** The provider that the header names, else the first of the pool that speaks OpenAI's protocol. */
async function findTarget({ tutti }: GatewayContext, { connection, key }: Visit): Promise<RelayTarget> {
  const wanted = connection.header(HEADER)?.trim();
  const { pool } = await tutti.pool();
  for (const { worker } of pool.members) {
    const target = relayTargetOf(worker);
    if (!target || (key && !isAllowedMember(key, worker))) continue;
    if (
      wanted === undefined ? target.protocol === "openai" : target.provider === wanted || worker.id === wanted
    )
      return target;
  }
  const which = wanted === undefined ? "speaks OpenAI's protocol" : `is called "${wanted.slice(0, 60)}"`;
  throw new TuttiError("not-found", `No worker's provider ${which}. Name one with the header ${HEADER}.`);
}

function pass(method: Route["method"], kind: Kind, toPath: (id: string) => string): Handler {
  return async (context, visit) => {
    const { connection, key, id, query, dialect } = visit;
    checkOwner(key, kind);
    const target = await findTarget(context, visit);
    const body = method === "POST" ? await context.uploads.readRaw(connection, key) : Buffer.alloc(0);
    const upstream = toUpstream(target, { path: toPath(encodeURIComponent(id)), relay: chatRelay });
    if (!upstream) throw new TuttiError("not-found", `The provider "${target.provider}" has no ${kind}.`);
    for (const name of QUERY) if (query[name]) upstream.url.searchParams.set(name, query[name]);
    visit.notes.modelKind = "relay";
    context.relaying++;
    try {
      await relay({
        ...{ pools: context.pools, upstream, workerId: target.provider, reader: dialect.relay ?? chatRelay },
        ...{ body, method, bound: BOUND, hidesUsage: false, isBudgeted: false, keepsText: false },
        clientHeaders: connection.incoming.headers,
        outgoing: connection.outgoing,
        extraHeaders: () => connection.headers,
      });
    } finally {
      context.relaying--;
    }
  };
}

const route = (method: Route["method"], kind: Kind, path: string): Route => ({
  method,
  path: `/v1${path}`,
  serve: pass(method, kind, (id) => path.replace(":id", id)),
});

export const ACCOUNT_ROUTES: readonly Route[] = [
  route("POST", "files", "/files"),
  route("GET", "files", "/files"),
  route("GET", "files", "/files/:id"),
  route("DELETE", "files", "/files/:id"),
  route("GET", "files", "/files/:id/content"),
  route("POST", "batches", "/batches"),
  route("GET", "batches", "/batches"),
  route("GET", "batches", "/batches/:id"),
  route("POST", "batches", "/batches/:id/cancel"),
];
