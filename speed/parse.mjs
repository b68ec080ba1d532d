// How fast completions become workflows, with `JSON.parse` on the same content as the peer in the same run,
// and how long a megabyte of hostile text takes.
//
//   npm run build && node speed/parse.mjs

import { parseWorkflow } from "../dist/workflow/parse.js";

const options = { workers: 7 };
const SECONDS = 1;

const reasoning = `The question asks for the number of lattice paths that stay below the diagonal. It's a counting
problem with a known closed form, but the boundary condition differs from the usual one, so I don't want to rely on
recall alone. Model 2 has the best record on combinatorics; models 0 and 5 are cheaper and make different mistakes.

A direct attempt may miss the off-by-one at the boundary. I'd rather have two independent derivations: one with the
reflection principle, one by a small dynamic program over the first cases. Then somebody who sees both can compare
them and explain any difference before the answer is given. Three steps are enough; a fourth would only repeat the
check. I could also let one model do everything (model_id = [2]), but an error would then go unnoticed.

`;
const ids = [2, 5, 0];
const subtasks = [
  "Derive the number of paths with the reflection principle. State the bijection and check the cases n = 1, 2, 3 by hand.",
  "Write a short dynamic program `count(n)` that counts the paths directly, run it in your head for n <= 5, and give the values as a list such as [1, 2, 5].",
  'Compare both results. If they differ, find the mistake; then give the final answer as "\\boxed{...}" with one sentence of explanation.',
];
const access = [[], [], ["all"]];
const python = (quote) =>
  subtasks
    .map((text) => `    ${quote}${text.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`)}${quote},\n`)
    .join("");
const asJson = { model_id: ids, subtasks, access_list: access };
const asSteps = {
  steps: ids.map((worker, i) => ({ worker, subtask: subtasks[i], access: i === 2 ? "all" : [] })),
};

const shapes = {
  "Python lists": `${reasoning}model_id = [2, 5, 0]\nsubtasks = [\n${python('"')}]\naccess_list = [[], [], ["all"]]\n`,
  "single quotes, fence": `${reasoning}\`\`\`python\nmodel_id = [2, 5, 0]\nsubtasks = [\n${python("'")}]\naccess_list = [[], [], ['all']]\n\`\`\`\n`,
  "think block, bold": `<think>${reasoning}</think>\n**model_id:** [2, 5, 0]\n**subtasks:** ${JSON.stringify(subtasks)}\n**access_list:** [[], [], ["all"]]\n`,
  "JSON object": `${reasoning}${JSON.stringify(asJson, null, 2)}`,
  "JSON steps": `${reasoning}${JSON.stringify(asSteps, null, 2)}`,
};

/** Megabytes a second of `run` on `text`; the best of three, since the machine may be busy. */
function measure(run, text) {
  let best = 0;
  for (let attempt = 0; attempt < 3; attempt++) {
    let count = 0;
    const started = performance.now();
    let elapsed = 0;
    while (elapsed < (SECONDS * 1000) / 3) {
      for (let i = 0; i < 100; i++) run(text);
      count += 100;
      elapsed = performance.now() - started;
    }
    best = Math.max(best, (count * text.length) / 1000 / elapsed);
  }
  return best;
}

const number = (value) => value.toFixed(value < 10 ? 1 : 0).padStart(6);

console.log("completion                 chars   parseWorkflow   JSON.parse   ratio");
for (const [name, text] of Object.entries(shapes)) {
  const result = parseWorkflow(text, options);
  if (!result.ok || result.workflow.steps.length !== 3) throw new Error(`${name}: ${JSON.stringify(result)}`);
  const json = JSON.stringify({ reasoning, ...(name === "JSON steps" ? asSteps : asJson) });
  const ours = measure((input) => parseWorkflow(input, options), text);
  const peer = measure(JSON.parse, json);
  console.log(
    `${name.padEnd(24)} ${String(text.length).padStart(6)} ${number(ours)} MB/s     ${number(peer)} MB/s   ${(ours / peer).toFixed(2)}`,
  );
}

/** What is repeated, and what stands before it. */
const hostile = {
  "[": ["["],
  "{": ["{"],
  "model_id = [": ["model_id = ["],
  '"': ['"'],
  "\\": ["\\"],
  'model_id=[0]⏎subtasks=["': ['model_id=[0]\nsubtasks=["'],
  'subtasks=["""': ['subtasks=["""'],
  "```python⏎": ["```python\n"],
  "</think>": ["</think>"],
  "[{": ["[{"],
  "subtasks = [\"' ' …": ["' ' ", 'subtasks = ["'],
  "steps and quotes": ['", ', '{"steps":[{"subtask":"'],
  "model_id = [[' ' …": ["' ' ", "model_id = [["],
};
console.log("\n1 MB of hostile text, first of three and best of three");
for (const [name, [part, start = ""]] of Object.entries(hostile)) {
  const text = start + part.repeat(Math.ceil(1_000_000 / part.length));
  const times = [1, 2, 3].map(() => {
    const started = performance.now();
    parseWorkflow(text, options);
    return performance.now() - started;
  });
  console.log(
    `${name.padEnd(26)} ${times[0].toFixed(1).padStart(6)} ms   ${Math.min(...times)
      .toFixed(1)
      .padStart(6)} ms`,
  );
}
