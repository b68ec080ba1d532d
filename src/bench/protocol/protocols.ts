// The list of protocols, and the way through one: open, measure each router, put the published figures beside them.

import { usageError } from "../../base/errors.ts";
import { shorten } from "../../base/format.ts";
import { didYouMean } from "../../base/suggest.ts";
import { SINGLE } from "../../baseline/single.ts";
import { ROUTE_LLM } from "./route-llm.ts";
import { ROUTER_ARENA } from "./router-arena.ts";
import { ROUTER_DC } from "./router-dc.ts";
import { findRouter, ROUTER_IDS } from "./routers.ts";
import type {
  OneCallRouter,
  PreparedProtocol,
  Protocol,
  ProtocolMaterial,
  ProtocolOptions,
  ProtocolResult,
} from "./types.ts";

const PROTOCOLS: readonly Protocol[] = [ROUTER_ARENA, ROUTE_LLM, ROUTER_DC];

export function findProtocol(name: string): Protocol {
  const found = PROTOCOLS.find(({ id }) => id === name);
  if (found) return found;
  const names = PROTOCOLS.map(({ id }) => id);
  throw usageError(
    `No protocol "${shorten(name)}" (there are: ${names.join(", ")}).${didYouMean(name, names)}`,
  );
}

export interface RunProtocolOptions extends ProtocolOptions {
  /** Names of routers; by default those of the protocol. A named one that cannot be measured is an error. */
  routers?: readonly string[];
  onProgress?: (router: string, done: number, total: number) => void;
}

/** Who is measured, and who of the default list is not and why. */
export interface ChosenRouters {
  routers: OneCallRouter[];
  refused: { router: string; reason: string }[];
}

export function chooseRouters(
  protocol: Protocol,
  prepared: PreparedProtocol,
  wanted: readonly string[] | undefined,
): ChosenRouters {
  const { workers } = prepared;
  const groups = new Map([
    ["all", ROUTER_IDS],
    ["singles", workers.map((worker) => SINGLE + worker)],
  ]);
  const ids = (wanted ?? protocol.routers).flatMap((id) => groups.get(id) ?? [id]);
  const routers: OneCallRouter[] = [];
  const refused: ChosenRouters["refused"] = [];
  for (const id of new Set(ids)) {
    const router = findRouter(id, workers);
    const reason = prepared.refuse(router);
    if (reason === undefined) routers.push(router);
    else if (wanted?.includes(id)) throw usageError(`${id} cannot be measured as ${protocol.id}: ${reason}`);
    else refused.push({ router: id, reason });
  }
  return { routers, refused };
}

export async function runProtocol(
  protocol: Protocol,
  material: ProtocolMaterial,
  { routers: wanted, onProgress, ...options }: RunProtocolOptions,
): Promise<ProtocolResult> {
  const prepared = await protocol.prepare(material, options);
  const { routers, refused } = chooseRouters(protocol, prepared, wanted);
  const rows = [];
  for (const [done, router] of routers.entries()) {
    onProgress?.(router.id, done, routers.length);
    rows.push(prepared.measure(router));
    // A router may take seconds: Ctrl-C and the progress line get their turn between two.
    await new Promise((next) => setImmediate(next));
  }
  const { workers, how, metrics, tasks } = prepared;
  return {
    ...{ protocol: protocol.id, title: protocol.title, recording: material.recording.folder },
    ...{ tasks: tasks.length, workers, how, metrics, rows, refused, seed: options.seed },
    ...{ anchors: protocol.anchors, anchorNote: protocol.anchorNote },
  };
}
