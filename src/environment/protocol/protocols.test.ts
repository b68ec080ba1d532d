// Golden wire tests: what each engine sends, as its own client code writes it, and the exact bytes it gets.
import { describe, expect, test } from "vitest";
import type { EngineProtocol, Performed, ScoredAnswer } from "../types.ts";
import { aggregateMetrics, nemoGym } from "./nemo-gym.ts";
import { openRlhf } from "./openrlhf.ts";
import { plain } from "./plain.ts";
import { slime } from "./slime.ts";

function answer(reward: number, more: Partial<Performed> = {}): ScoredAnswer {
  const isValid = reward > 0;
  const performed = { isValid, isRight: reward === 1, calls: 3, steps: 3, costUsd: 0.25, ...more };
  return { reward, verdict: { type: "reward", performed: { reward, ...performed } } };
}
const down: ScoredAnswer = {
  reward: 0,
  verdict: { type: "failure", failure: "outage", why: "Workers were down" },
};

function write(protocol: EngineProtocol, answers: ScoredAnswer[], wishes = "", raw = "{}"): string {
  return protocol.write(answers, new URLSearchParams(wishes), raw);
}

describe("OpenRLHF", () => {
  const prompt = "<|im_start|>user\nQuestion<|im_end|>\n<|im_start|>assistant\n";

  test("one sample a call", () => {
    const body = { query: [`${prompt}plan<|im_end|>`], prompts: [prompt], labels: ["L"] };
    expect(openRlhf.read(body)).toEqual([{ label: "L", completion: "plan" }]);
    expect(write(openRlhf, [answer(1)])).toBe('{"rewards":[1.0],"scores":[1.0]}');
  });

  test("a batch in one call, as up to 0.9.0; only zeros and ones stay floats", () => {
    const body = { query: [`${prompt}a`, `${prompt}b`], prompts: [prompt, prompt], labels: ["A", "B"] };
    expect(openRlhf.read(body)).toEqual([
      { label: "A", completion: "a" },
      { label: "B", completion: "b" },
    ]);
    expect(write(openRlhf, [answer(1), answer(0), answer(0.5)])).toBe(
      '{"rewards":[1.0,0.0,0.5],"scores":[1.0,0.0,0.5]}',
    );
  });

  test("empty arrays, which it sends with several URLs", () => {
    expect(openRlhf.read({ query: [], prompts: [], labels: [] })).toEqual([]);
    expect(write(openRlhf, [])).toBe('{"rewards":[],"scores":[]}');
  });

  test("extra logs only where they are asked for", () => {
    expect(write(openRlhf, [answer(1), down], "extra_logs=1")).toBe(
      '{"rewards":[1.0,0.0],"scores":[1.0,0.0],"extra_logs":{"valid":[1.0,0.0],"right":[1.0,0.0],"failed":[0.0,1.0],"calls":[3.0,0.0]}}',
    );
  });

  test("labels and prompts that are missing or too few are no reason to fail the batch", () => {
    expect(openRlhf.read({ query: [`${prompt}a`, 7] })).toEqual([
      { label: undefined, completion: "a" },
      { label: undefined, completion: undefined },
    ]);
    expect(openRlhf.read({ query: ["a"], prompts: [null], labels: [null] })).toEqual([
      { label: null, completion: "a" },
    ]);
  });

  test.each([{}, { query: 1 }, { query: null }, [], "text", null, 1])("%j holds no completion", (body) => {
    expect(() => openRlhf.read(body)).toThrow(/must be a (JSON object|list of texts), not /);
  });
});

describe("slime", () => {
  test("a prompt that is a text or messages, and a label of any kind", () => {
    const messages = [{ role: "user", content: "Question" }];
    expect(slime.read({ prompt: messages, response: "plan<|im_end|>", label: "L" })).toEqual([
      { label: "L", completion: "plan" },
    ]);
    expect(slime.read({ prompt: "Question", response: "plan", label: { world: "rehearsal" } })).toEqual([
      { label: { world: "rehearsal" }, completion: "plan" },
    ]);
  });

  test("a bare float, or an object with the key that slime was started with", () => {
    expect(write(slime, [answer(1)])).toBe("1.0");
    expect(write(slime, [answer(0)])).toBe("0.0");
    expect(write(slime, [answer(1)], "reward_key=score")).toBe(
      '{"reward":1.0,"valid":true,"right":true,"calls":3,"cost_usd":0.25,"failure":null,"why":null,"score":1.0}',
    );
  });

  test("a response that is no text is an error", () => {
    expect(() => slime.read({ prompt: "", response: ["plan"], label: "L" })).toThrow(
      '"response" must be a text, not a list',
    );
  });
});

describe("NeMo Gym", () => {
  const row = `{"responses_create_params":{"input":[{"role":"user","content":"Q"}],"temperature":1.0},"label":"L","task_id":"t"`;
  const response = `{"id":"r","output":[{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"pl","annotations":[]},{"type":"output_text","text":"an"}]}],"top_p":1.0}`;
  const raw = `${row},"response":${response}}`;

  test("the text of the response is the completion", () => {
    expect(nemoGym.read(JSON.parse(raw))).toEqual([{ label: "L", completion: "plan" }]);
  });

  test("everything comes back as it was, byte for byte, with the reward", () => {
    expect(write(nemoGym, [answer(1)], "", raw)).toBe(
      `${row},"response":${response},"reward":1.0,"valid":1.0,"right":1.0,"calls":3.0,"mask_sample":false}`,
    );
  });

  test("a failure is masked and named, so that it is not taught", () => {
    const text = write(nemoGym, [down], "", `${raw}\n`);
    expect(text).toContain(
      ',"reward":0.0,"mask_sample":true,"failure_kind":"tutti:outage","failure_reason":"Workers were down"}',
    );
    expect(JSON.parse(text)).toMatchObject(JSON.parse(raw));
  });

  test("a reward that is in the row already gives way to ours", () => {
    expect(JSON.parse(write(nemoGym, [answer(1)], "", '{"reward":7}')).reward).toBe(1);
    expect(JSON.parse(write(nemoGym, [answer(1)], "", "{ }")).reward).toBe(1);
  });

  test.each([
    ["a response without output", {}, undefined],
    ["an empty output", { output: [] }, ""],
    ["a tool call alone", { output: [{ type: "function_call", name: "f", arguments: "{}" }] }, ""],
    ["content that is a text", { output: [{ role: "assistant", content: "plan" }] }, "plan"],
    ["parts that are nothing", { output: [null, { type: "message", content: [null] }] }, ""],
  ])("%s", (_, given, completion) => {
    expect(nemoGym.read({ response: given, label: "L" })).toEqual([{ label: "L", completion }]);
  });

  test("the label may stand in the verifier's metadata", () => {
    const body = { response: { output: [] }, verifier_metadata: { label: "L" } };
    expect(nemoGym.read(body)[0]!.label).toBe("L");
  });

  test("metrics leave out what was masked", () => {
    const rows = [
      { _ng_task_index: 0, reward: 1, valid: 1, right: 1, mask_sample: false },
      { _ng_task_index: 0, reward: 0, valid: 0, right: 0 },
      { _ng_task_index: 1, reward: 0, mask_sample: true },
    ];
    expect(aggregateMetrics({ verify_responses: rows })).toBe(
      '{"group_level_metrics":[{"_ng_task_index":0,"mean/reward":0.5,"mean/valid":0.5,"mean/right":0.5}],"agent_metrics":{"mean/reward":0.5,"mean/valid":0.5,"mean/right":0.5,"mask_sample/count":1},"key_metrics":{"mean/reward":0.5,"mean/valid":0.5,"mean/right":0.5}}',
    );
    expect(aggregateMetrics({ verify_responses: [] })).toBe(
      '{"group_level_metrics":[],"agent_metrics":{"mask_sample/count":0},"key_metrics":{}}',
    );
  });
});

describe("plain", () => {
  test("one and many, each with the same fields", () => {
    expect(plain.read({ completion: "plan</s>", label: "L" })).toEqual([{ label: "L", completion: "plan" }]);
    expect(write(plain, [answer(1)], "", '{"completion":"","label":""}')).toBe(
      '{"reward":1.0,"valid":true,"right":true,"calls":3,"cost_usd":0.25,"failure":null,"why":null}',
    );
    expect(plain.read({ items: [{ completion: "a", label: "A" }] })).toEqual([
      { label: "A", completion: "a" },
    ]);
    expect(write(plain, [down], "", '{"items":[{}]}')).toBe(
      '{"results":[{"reward":0.0,"valid":false,"right":false,"calls":0,"cost_usd":0.0,"failure":"outage","why":"Workers were down"}]}',
    );
    expect(write(plain, [], "", '{"items":[]}')).toBe('{"results":[]}');
  });

  test.each([{}, { completion: 1 }, { items: 1 }, { items: ["a"] }, { items: [{}] }])(
    "%j holds none",
    (body) => {
      expect(() => plain.read(body)).toThrow(/must be a /);
    },
  );
});
