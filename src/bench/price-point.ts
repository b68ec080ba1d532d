// Which point of a Conductor's curve is asked for, as it is written after its name: `router@2/usd` (a dollar costs two
// right answers), `router@match-best`, `router@max:0.10usd`. What stands after "@" otherwise is a cost of a call.

import { usageError } from "../base/errors.ts";
import { toCost, toPoints } from "../base/format.ts";
import type { Baseline, PriceTarget } from "../baseline/types.ts";
import type { ChosenPrice } from "./bench.ts";

export type PricePoint = { type: "per-usd"; costPerUsd: number } | PriceTarget;

/** The name without its point. Undefined where the name has none of these. */
export function parsePricePoint(id: string): { name: string; point: PricePoint } | undefined {
  const at = id.lastIndexOf("@");
  if (at < 0) return undefined;
  const [name, text] = [id.slice(0, at), id.slice(at + 1)];
  if (text === "match-best") return { name, point: { type: "match-best" } };
  const perUsd = /^(.*)\/usd$/.exec(text)?.[1];
  if (perUsd !== undefined) return { name, point: { type: "per-usd", costPerUsd: toAmount(perUsd, id) } };
  const most = /^max:\$?(.*?)(?:usd)?$/.exec(text)?.[1];
  if (most !== undefined) return { name, point: { type: "max", usd: toAmount(most, id) } };
  return undefined;
}

/** Which price a target led to, and whether it can be met at all: said wherever the row is shown. */
export function toChosenWords({
  conductor,
  target,
  costPerUsd,
  accuracy,
  costUsd,
  isMet,
  single,
}: ChosenPrice): string {
  const there = `on the tasks it was chosen on ${toPoints(accuracy)} % at ${toCost(costUsd)} a question, the best single worker ${toPoints(single.accuracy)} % at ${toCost(single.costUsd)}`;
  const missed =
    target.type === "match-best"
      ? "no point of its curve is as good there"
      : `no point of its curve costs ${toCost(target.usd)} or less there`;
  return `${conductor}: a dollar costs ${costPerUsd} right answers; ${there}${isMet ? "" : `; ${missed}, this is the nearest`}.`;
}

function toAmount(text: string, id: string): number {
  const amount = text.trim() === "" ? Number.NaN : Number(text);
  if (amount >= 0 && Number.isFinite(amount)) return amount;
  throw usageError(
    `"${id}" has no number from 0 where one is needed: NAME@2/usd is the cost of a dollar, NAME@max:0.10usd the dollars of a question, NAME@match-best as good as the best single worker`,
  );
}

/** The same Conductor at this point; a target is looked for when it is measured. */
export function toPricePoint(id: string, baseline: Baseline, point: PricePoint): Baseline {
  if (!baseline.atPrice)
    throw usageError(`${baseline.id} has no price to set: whom it asks does not depend on what a call costs`);
  if (point.type === "per-usd") return { ...baseline.atPrice(point.costPerUsd), id };
  return { ...baseline, id, target: point };
}

/** A name with an error after "@": its verdicts are turned round so often, and no real verifier stands behind it. */
export function isSimulatedVerifier(id: string): boolean {
  return /^verified-cascade@[\d.e-]+(@|$)/.test(id);
}
