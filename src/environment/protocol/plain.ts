// Our own protocol, for python/conductor_reward.py and for curl: {"completion", "label"} or {"items": [...]}.
// Every answer has the same fields, as verl wants it, and says when a reward is none.

import { cleanCompletion } from "../completion.ts";
import { Float, type FloatJson, toFloatJson } from "../float-json.ts";
import type { EngineProtocol, ScoredAnswer, Submission } from "../types.ts";
import { badRequest, nameOf, toFields } from "./read-body.ts";

export const plain: EngineProtocol = {
  engine: "plain",
  read(body) {
    const fields = toFields(body);
    const { items } = fields;
    if (items === undefined) return [toSubmission(fields)];
    if (!Array.isArray(items)) throw badRequest(`"items" must be a list, not ${nameOf(items)}`);
    return items.map((item) => toSubmission(toFields(item)));
  },
  write(answers, _wishes, raw) {
    const results = answers.map(toSummary);
    return toFloatJson("items" in JSON.parse(raw) ? { results } : results[0]!);
  },
};

/** Snake case: it is read by Python. */
export function toSummary({ reward, verdict }: ScoredAnswer): Record<string, FloatJson> {
  const performed = verdict.type === "reward" ? verdict.performed : undefined;
  return {
    reward: new Float(reward),
    valid: performed?.isValid ?? false,
    right: performed?.isRight ?? false,
    calls: performed?.calls ?? 0,
    cost_usd: new Float(performed?.costUsd ?? 0),
    failure: verdict.type === "failure" ? verdict.failure : null,
    why: verdict.type === "failure" ? verdict.why : null,
  };
}

function toSubmission({ completion, label }: Record<string, unknown>): Submission {
  if (typeof completion !== "string")
    throw badRequest(`"completion" must be a text, not ${nameOf(completion)}`);
  return { label, completion: cleanCompletion(completion) };
}
