// What a person writes to name a Conductor (`--conductor native:FOLDER`, `trinity@2/usd`), parsed once. Apart from conductors.ts,
// which makes Conductors of identities: lists and lints of names need none.

import { usageError } from "../base/errors.ts";

/** What a person may name; who plans and which weights are chosen where they are left out. */
export type NamedConductor =
  | { kind: "prompted"; planner?: string }
  | { kind: "native"; checkpoint?: string }
  /** `costPerCall`, or `costPerUsd` in its place: the price knob, in probability of a right answer. */
  | ({ kind: "trinity"; checkpoint?: string } & TrinityPrice)
  /** `judge`: the model that verifies; absent: tests, a schema or arithmetic. */
  | { kind: "verified-cascade"; judge?: string }
  | { kind: "scripted" };

/** "prompted", "native", "native:FOLDER", "trinity", "trinity:FOLDER", "trinity@0.02", "trinity@2/usd", "verified-cascade", "verified-cascade:JUDGE", "scripted-planner", or the id of a model to plan with. */
export function parseConductorName(text: string): NamedConductor {
  if (text === "prompted" || text === "native") return { kind: text };
  if (text === "scripted-planner") return { kind: "scripted" };
  if (text.startsWith("native:"))
    return { kind: "native", checkpoint: text.slice("native:".length) || undefined };
  const cascade = /^verified-cascade(?::(?<judge>.+))?$/.exec(text);
  if (cascade) return { kind: "verified-cascade", judge: cascade.groups?.judge };
  const trinity = /^trinity(?::(?<folder>.*?))?(?:@(?<cost>[^@]*))?$/.exec(text)?.groups;
  if (trinity) {
    const { folder, cost } = trinity;
    return { kind: "trinity", checkpoint: folder || undefined, ...toTrinityPrice(cost) };
  }
  return { kind: "prompted", planner: text };
}

/** In probability of a right answer; one of the two. */
export interface TrinityPrice {
  costPerCall?: number;
  costPerUsd?: number;
}

/** What stands after "@": "0.02" or "2/usd". */
function toTrinityPrice(text: string | undefined): TrinityPrice {
  if (text === undefined) return {};
  const perUsd = /^(.*)\/usd$/.exec(text)?.[1];
  const cost = (perUsd ?? text).trim() === "" ? Number.NaN : Number(perUsd ?? text);
  if (perUsd === undefined && cost >= 0 && cost <= 1) return { costPerCall: cost };
  if (perUsd !== undefined && cost >= 0 && Number.isFinite(cost)) return { costPerUsd: cost };
  if (perUsd !== undefined)
    throw usageError(
      `The cost of a dollar before "/usd" must be a number from 0, in right answers, not "${perUsd.slice(0, 40)}": trinity@2/usd`,
    );
  if (text === "match-best" || text.startsWith("max:"))
    throw usageError(
      `"trinity@${text.slice(0, 40)}" is a target that only a bench can look for: tutti bench --recording DIR --conductor trinity@${text.slice(0, 40)} tells the price it chose; ask with that (trinity@2/usd)${text.startsWith("max:") ? ", or limit the dollars with --budget-usd" : ""}`,
    );
  throw usageError(
    `The cost of a call after "@" must be a number from 0 to 1, in probability of a right answer, not "${text.slice(0, 40)}": trinity@0.02, or trinity@2/usd for the cost of a dollar`,
  );
}
