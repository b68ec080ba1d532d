// OpenRLHF's remote reward: {"query": [...], "prompts": [...], "labels": [...]} → {"rewards": [...], "scores": [...]}.
// Newer versions send one sample a call, older ones the whole batch; with several URLs some calls are empty.
// A call that fails ends the batch, so whatever is a completion gets a number.

import { splitCompletion } from "../completion.ts";
import { Float, type FloatJson, toFloatJson } from "../float-json.ts";
import type { EngineProtocol, ScoredAnswer } from "../types.ts";
import { badRequest, nameOf, toFields } from "./read-body.ts";

export const openRlhf: EngineProtocol = {
  engine: "openrlhf",
  read(body) {
    const { query, prompts, labels } = toFields(body);
    const queries = typeof query === "string" ? [query] : query;
    if (!Array.isArray(queries)) throw badRequest(`"query" must be a list of texts, not ${nameOf(query)}`);
    return queries.map((text: unknown, i) => ({
      label: at(labels, i),
      completion: typeof text === "string" ? splitCompletion(text, toPrompt(at(prompts, i))) : undefined,
    }));
  },
  write(answers, wishes) {
    const rewards = answers.map(({ reward }) => new Float(reward));
    // Version 0.9.0 and older break at fields that they do not know.
    if (wishes.get("extra_logs") !== "1") return toFloatJson({ rewards, scores: rewards });
    return toFloatJson({ rewards, scores: rewards, extra_logs: toLogs(answers) });
  },
};

function toLogs(answers: readonly ScoredAnswer[]): FloatJson {
  const each = (value: (answer: ScoredAnswer) => number) => answers.map((answer) => new Float(value(answer)));
  return {
    valid: each(({ verdict }) => (verdict.type === "reward" && verdict.performed.isValid ? 1 : 0)),
    right: each(({ verdict }) => (verdict.type === "reward" && verdict.performed.isRight ? 1 : 0)),
    failed: each(({ verdict }) => (verdict.type === "failure" ? 1 : 0)),
    calls: each(({ verdict }) => (verdict.type === "reward" ? verdict.performed.calls : 0)),
  };
}

/** One sample may come without lists. */
function at(values: unknown, i: number): unknown {
  return Array.isArray(values) ? values[i] : i === 0 ? values : undefined;
}

function toPrompt(prompt: unknown): string | undefined {
  return typeof prompt === "string" ? prompt : undefined;
}
