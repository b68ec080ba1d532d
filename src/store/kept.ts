// What of an event is kept, the same in every store: no pieces of plans (the whole plan follows), no
// registered secret, and errors without anything that looks like a key. Questions and replies are
// otherwise the user's own and stay as they are.

import { redact, redactRegistered } from "../base/redact.ts";
import type { RunEvent } from "./types.ts";
import { upgradeEvent } from "./upgrade.ts";

/** Fields whose values are our own words or ids: a secret that happens to equal one must not break a run. */
const OWN_WORDS: ReadonlySet<string> = new Set(
  "type runId role kind channel verdict reason stopReason finishReason dialect keyId".split(" "),
);

/** The event as it is journaled, or nothing. */
export function toKept(event: RunEvent): RunEvent | undefined {
  if (event.type === "plan-delta") return undefined;
  const kept = redactRegistered(upgradeEvent(event), OWN_WORDS);
  if (!("error" in kept) || !kept.error) return kept;
  return { ...kept, error: { ...kept.error, message: redact(kept.error.message) } } as RunEvent;
}
