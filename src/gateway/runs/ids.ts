// Ids that find their run again. A reply's id and the ids of its tool calls hold the id of the run and the
// turn (how often tools of the client had returned before), so that nothing has to be looked up or kept: a chat
// is stateless, and the ids in the conversation are all that comes back.

import type { Dialect } from "../types.ts";

type Prefixed = Pick<Dialect, "replyIdPrefix">;

export function toReplyId({ replyIdPrefix }: Prefixed, runId: string, turn: number): string {
  return `${replyIdPrefix}${tailOf(runId)}${turn > 0 ? `_${turn}` : ""}`;
}

/** Undefined for an id that is not ours. */
export function parseReplyId(
  { replyIdPrefix }: Prefixed,
  id: string,
): { runId: string; turn: number } | undefined {
  if (!id.startsWith(replyIdPrefix)) return undefined;
  const found = /^([a-z0-9]+)(?:_([1-9]\d{0,5}))?$/.exec(id.slice(replyIdPrefix.length));
  return found ? { runId: `r_${found[1]}`, turn: Number(found[2] ?? 0) } : undefined;
}

export function toToolCallId(runId: string, turn: number, index: number): string {
  return `call_${tailOf(runId)}_${turn}_${index}`;
}

/** Undefined for an id that is not ours. */
export function parseToolCallId(id: string): { runId: string; turn: number; index: number } | undefined {
  const found = /^call_([a-z0-9]+)_(\d{1,6})_(\d{1,6})$/.exec(id);
  return found ? { runId: `r_${found[1]}`, turn: Number(found[2]), index: Number(found[3]) } : undefined;
}

function tailOf(runId: string): string {
  return runId.replace(/^r_/, "");
}
