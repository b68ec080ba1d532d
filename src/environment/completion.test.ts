import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toConductorMessages } from "../conductor/prompt.ts";
import { parseWorkflow } from "../workflow/parse.ts";
import { cleanCompletion, splitCompletion } from "./completion.ts";

const [system, user] = toConductorMessages(
  {
    task: { messages: [{ role: "user", content: "What is 1 + 1?" }] },
    pool: { members: [] },
    ...{ rounds: [], errors: [], maxSteps: 5, seed: 0 },
  },
  { showNames: false },
) as { content: string }[];
const prompt = `<|im_start|>system\n${system!.content}<|im_end|>\n<|im_start|>user\n${user!.content}<|im_end|>\n<|im_start|>assistant\n`;
const plan = 'I ask one.\nmodel_id = [0]\nsubtasks = ["Add"]\naccess_list = [[]]';

describe("a completion is found", () => {
  test.each([
    ["behind its prompt", prompt + plan, prompt],
    ["with end tokens", `${prompt}${plan}<|im_end|>`, prompt],
    [
      "with end tokens, line ends and padding",
      `${prompt}${plan}<|im_end|>\n<|endoftext|><|endoftext|>`,
      prompt,
    ],
    ["with padding on the left of the query alone", `<|endoftext|><|endoftext|>${prompt}${plan}`, prompt],
    ["where the prompt of the query lost its beginning", prompt.slice(500) + plan, prompt],
    ["where the prompt beside it lost its beginning", prompt + plan, prompt.slice(500)],
    ["where the prompt beside it lost its end", prompt + plan, prompt.slice(0, -200)],
    ["where there is no prompt beside it", prompt + plan, undefined],
    ["where the prompt beside it is empty", prompt + plan, ""],
    ["of Llama's template", `x<|start_header_id|>assistant<|end_header_id|>\n\n${plan}<|eot_id|>`, "y"],
    ["of Gemma's template", `x<start_of_turn>model\n${plan}<end_of_turn>`, "y"],
    ["of Mistral's template", `[INST]x[/INST] ${plan}</s>`, "y"],
    ["without any template", user!.content + plan, user!.content],
    ["without any template, the beginning cut", user!.content.slice(300) + plan, user!.content],
    [
      "without any template, the end of the prompt beside it cut",
      user!.content + plan,
      user!.content.slice(0, 800),
    ],
    ["alone", plan, undefined],
  ])("%s", (_, query, given) => {
    expect(splitCompletion(query, given)).toBe(plan);
  });

  test("a prompt whose end is not seen is never taken for a completion: its examples are workflows", () => {
    expect(parseWorkflow(user!.content, { workers: 3, maxSteps: 5, allowEmpty: false }).ok).toBe(true);
    expect(splitCompletion(`${user!.content} babble`, undefined)).toBeUndefined();
    expect(splitCompletion(`${user!.content.slice(200)} babble`, "another prompt")).toBeUndefined();
  });

  test("babble behind a prompt is never a workflow, wherever the prompt was cut", () => {
    const cut = fc.nat({ max: prompt.length - 1 });
    const options = { workers: 3, maxSteps: 5, allowEmpty: false };
    fc.assert(
      fc.property(cut, cut, fc.boolean(), (fromQuery, fromPrompt, isHead) => {
        const beside = isHead ? prompt.slice(0, fromPrompt) : prompt.slice(fromPrompt);
        const found = splitCompletion(`${prompt.slice(fromQuery)}babble`, beside);
        expect(found === undefined || !parseWorkflow(found, options).ok).toBe(true);
      }),
    );
  });

  test("what the policy wrote is kept, also where it writes like a template", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(splitCompletion(prompt + text, prompt)).toBe(cleanCompletion(text));
      }),
    );
  });
});

describe("a response is cleaned", () => {
  test.each([
    ["<|im_start|>assistant\nplan<|im_end|>", "plan"],
    ["plan</s></s>", "plan"],
    ["  plan \n", "plan"],
    ["a <|im_end|> b", "a <|im_end|> b"],
    ["<|im_end|>", ""],
    ["", ""],
  ])("%j", (text, clean) => {
    expect(cleanCompletion(text)).toBe(clean);
  });
});
