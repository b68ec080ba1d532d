// NeMo Gym's resources server: /verify gets the dataset's row with `response`, an object of the Responses API,
// and gives all of it back with a reward. What it gave us is copied as text, so nothing of it can change.
// Newer versions leave samples with `mask_sample` out: that is how a failure is never taught.

import { isObject } from "../../base/fields.ts";
import { cleanCompletion } from "../completion.ts";
import { Float, type FloatJson, toFloatJson } from "../float-json.ts";
import type { EngineProtocol, ScoredAnswer } from "../types.ts";
import { badRequest, nameOf, toFields } from "./read-body.ts";

export const nemoGym: EngineProtocol = {
  engine: "nemo-gym",
  read(body) {
    const { response, label, verifier_metadata: metadata } = toFields(body);
    if (typeof response !== "object" || response === null)
      throw badRequest(`"response" must be an object of the Responses API, not ${nameOf(response)}`);
    const text = toText(response);
    const inside = isObject(metadata) && "label" in metadata ? metadata.label : "";
    return [{ label: label ?? inside, completion: text === undefined ? undefined : cleanCompletion(text) }];
  },
  write([answer], _wishes, raw) {
    const given = raw.trim().slice(0, -1).trimEnd();
    const own = toFloatJson(toVerified(answer!)).slice(1);
    // Where a name is there twice, the last one counts: ours.
    return `${given}${given === "{" ? "" : ","}${own}`;
  },
};

function toVerified({ reward, verdict }: ScoredAnswer): Record<string, FloatJson> {
  if (verdict.type === "reward") {
    const { isValid, isRight, calls } = verdict.performed;
    return {
      reward: new Float(reward),
      valid: new Float(isValid ? 1 : 0),
      right: new Float(isRight ? 1 : 0),
      calls: new Float(calls),
      mask_sample: false,
    };
  }
  return {
    reward: new Float(reward),
    mask_sample: true,
    failure_kind: `tutti:${verdict.failure}`,
    failure_reason: verdict.why,
  };
}

/** Thoughts and tool calls are no part of a completion. */
function toText(response: object): string | undefined {
  const { output } = response as { output?: unknown };
  if (!Array.isArray(output)) return undefined;
  const parts = output.flatMap((item: unknown) => {
    const { type, role, content } = (item ?? {}) as Record<string, unknown>;
    if (type !== undefined && type !== "message") return [];
    if (role !== undefined && role !== "assistant") return [];
    if (typeof content === "string") return [content];
    return Array.isArray(content) ? content.flatMap(textOf) : [];
  });
  return parts.join("");
}

function textOf(part: unknown): string[] {
  const { type, text } = (part ?? {}) as Record<string, unknown>;
  return type === "output_text" && typeof text === "string" ? [text] : [];
}

/** /aggregate_metrics: the means that its dashboards show, failures left out. */
export function aggregateMetrics(body: unknown): string {
  const { verify_responses: rows } = toFields(body);
  if (!Array.isArray(rows)) throw badRequest(`"verify_responses" must be a list, not ${nameOf(rows)}`);
  const groups = new Map<unknown, Record<string, unknown>[]>();
  const masked = rows.filter((row) => row?.mask_sample === true).length;
  const true_ = rows.filter((row) => typeof row?.reward === "number" && row.mask_sample !== true);
  for (const row of true_) {
    const group = groups.get(row._ng_task_index);
    if (group) group.push(row);
    else groups.set(row._ng_task_index, [row]);
  }
  const overall = toMeans(true_);
  return toFloatJson({
    group_level_metrics: [...groups].map(([index, own]) => ({
      ...(typeof index === "number" ? { _ng_task_index: index } : {}),
      ...toMeans(own),
    })),
    agent_metrics: { ...overall, "mask_sample/count": masked },
    key_metrics: overall,
  });
}

function isSmall(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) < 1e9;
}

function toMeans(rows: readonly Record<string, unknown>[]): Record<string, FloatJson> {
  if (rows.length === 0) return {};
  const mean = (name: string) => {
    // Numbers of a stranger: 1e308 twice is no number any more, and a reward is small.
    const values = rows.map((row) => row[name]).filter(isSmall);
    return new Float(values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length));
  };
  return { "mean/reward": mean("reward"), "mean/valid": mean("valid"), "mean/right": mean("right") };
}
