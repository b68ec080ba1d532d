// What engines send for a reward: labels, completions in their templates, four protocols.

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { cleanCompletion, splitCompletion } from "../../src/environment/completion.ts";
import { parseLabel, toLabelText } from "../../src/environment/label.ts";
import { aggregateMetrics, nemoGym } from "../../src/environment/protocol/nemo-gym.ts";
import { openRlhf } from "../../src/environment/protocol/openrlhf.ts";
import { plain } from "../../src/environment/protocol/plain.ts";
import { slime } from "../../src/environment/protocol/slime.ts";
import type { ScoredAnswer } from "../../src/environment/types.ts";
import { type FuzzTarget, must, toText, toTwo } from "../target.ts";

const LABELS = [
  '"world":"tasks"',
  '"world":"rehearsal"',
  '"pools":"fixed"',
  '"seed":',
  '"digest":',
  '"pool":["a"]',
  '"before":[',
];

export const label: FuzzTarget = {
  name: "label",
  tokens: LABELS,
  inputs: fc.json({ maxDepth: 2 }),
  check(input) {
    const read = parseLabel(toText(input));
    must(
      isDeepStrictEqual(parseLabel(toLabelText(read)), read),
      "a label is another one when it is written again",
    );
  },
};

const TEMPLATE = [
  "<|im_start|>assistant\n",
  "<|im_end|>",
  "</s>",
  "[/INST]",
  "<pad>",
  "Write the workflow for the task now.",
  " \n",
];

export const completion: FuzzTarget = {
  name: "completion",
  tokens: [...TEMPLATE, "\n%%\n"],
  inputs: fc
    .array(fc.oneof(fc.constantFrom(...TEMPLATE), fc.string()), { maxLength: 8 })
    .map((parts) => parts.join("")),
  check(input) {
    const [prompt, query] = toTwo(input);
    const found = splitCompletion(prompt + query, prompt);
    if (found !== undefined) must((prompt + query).includes(found), "a completion that was not sent");
    const clean = cleanCompletion(query);
    must(query.includes(clean), "a completion that was not sent");
  },
};

const right: ScoredAnswer = {
  reward: 1,
  verdict: {
    type: "reward",
    performed: { reward: 1, isValid: true, isRight: true, calls: 1, steps: 1, costUsd: 0 },
  },
};
const failed: ScoredAnswer = { reward: 0, verdict: { type: "failure", failure: "label", why: 'no "such"' } };

export const protocols: FuzzTarget = {
  name: "protocols",
  tokens: [
    '"query":[',
    '"prompts":',
    '"labels":',
    '"response":',
    '"output":[',
    '"items":[',
    '"completion":"',
    '"label":',
    "%%",
  ],
  inputs: fc.json({ maxDepth: 4 }),
  check(input) {
    const raw = toText(input);
    let body: unknown;
    try {
      body = JSON.parse(raw);
    } catch {
      return;
    }
    for (const protocol of [openRlhf, slime, plain, nemoGym]) {
      try {
        const submissions = protocol.read(body);
        const answers = submissions.map((_, i) => (i % 2 === 0 ? right : failed));
        const wishes = new URLSearchParams({ reward_key: "__proto__", extra_logs: "1" });
        JSON.parse(protocol.write(answers, wishes, raw));
      } catch (error) {
        if ((error as { code?: string }).code !== "bad-request") throw error;
      }
    }
    JSON.parse(aggregateMetrics(body));
  },
};
