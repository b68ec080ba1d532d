// From what engines send to what the policy wrote. OpenRLHF sends the prompt and the completion as one text,
// with the special tokens of the model's template; a prompt may have been cut to fit. Our prompt has four
// example workflows in it: if it were taken for the completion, babble would be paid like a plan.

/** How the templates of common models open the turn of the assistant. */
const OPENINGS = [
  "<|im_start|>assistant\n",
  "<|start_header_id|>assistant<|end_header_id|>\n\n",
  "<start_of_turn>model\n",
  "<|start|>assistant",
  "<｜Assistant｜>",
  "<|assistant|>\n",
  "[/INST]",
] as const;

const END_TOKENS = [
  ...["<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "<|end|>", "<|return|>", "<|pad|>"],
  ...["<end_of_turn>", "<eos>", "<pad>", "<｜end▁of▁sentence｜>", "<|eom_id|>", "</s>", "[PAD]"],
];
/** So much of a prompt's end finds it again where its beginning was cut off. */
const ANCHOR_CHARACTERS = 80;

/** `undefined` where the prompt is in the text and its end cannot be found. */
export function splitCompletion(query: string, prompt: string | undefined): string | undefined {
  const start = prompt ? findEnd(query, prompt) : undefined;
  if (start !== undefined) return cleanCompletion(skipPrompt(query.slice(start), prompt!));
  const opened = Math.max(...OPENINGS.map((opening) => endOfLast(query, opening)));
  if (opened >= 0) return cleanCompletion(query.slice(opened));
  const anchored = prompt ? endOfLast(query, prompt.trimEnd().slice(-ANCHOR_CHARACTERS)) : -1;
  if (anchored >= 0) return cleanCompletion(query.slice(anchored));
  // Nothing of a prompt is seen: either it is the completion alone, or a prompt that we cannot tell from it.
  const isPrompt = query.includes(FIRST_WORDS) || query.includes(LAST_WORDS);
  return isPrompt ? undefined : cleanCompletion(query);
}

/** Without what templates and padding leave around it. */
export function cleanCompletion(text: string): string {
  const opening = OPENINGS.find((candidate) => text.trimStart().startsWith(candidate.trimEnd()));
  const body = opening ? text.trimStart().slice(opening.trimEnd().length) : text;
  const end = skipTokens(body, body.length, -1);
  return body.slice(Math.min(end, skipTokens(body, 0, 1)), end);
}

/** Sentences of conductor/prompt.ts: its beginning and its end. */
const FIRST_WORDS = "Answer a task by writing a workflow for your team.";
const LAST_WORDS = "Write the workflow for the task now.";

/** Padding may stand before the prompt in one of the two texts and not in the other. */
function findEnd(query: string, prompt: string): number | undefined {
  if (query.startsWith(prompt)) return prompt.length;
  const bare = prompt.slice(skipTokens(prompt, 0, 1));
  const padding = skipTokens(query, 0, 1);
  return bare !== "" && query.startsWith(bare, padding) ? padding + bare.length : undefined;
}

/** Past white space and end tokens, forwards or backwards. No regular expression: runs of them may be long. */
function skipTokens(text: string, from: number, step: 1 | -1): number {
  for (let at = from; ; ) {
    const character = step > 0 ? text[at] : text[at - 1];
    if (character === undefined) return at;
    if (character.trim() === "") {
      at += step;
      continue;
    }
    const token = END_TOKENS.find((each) => (step > 0 ? text.startsWith(each, at) : text.endsWith(each, at)));
    if (token === undefined) return at;
    at += step * token.length;
  }
}

/** A prompt that was cut at its end matches too; then the rest of it stands before the completion. */
function skipPrompt(rest: string, prompt: string): string {
  const isWhole = OPENINGS.some((opening) => prompt.trimEnd().endsWith(opening.trimEnd()));
  if (isWhole || prompt.includes(LAST_WORDS)) return rest;
  const end = Math.max(endOfLast(rest, LAST_WORDS), ...OPENINGS.map((opening) => endOfLast(rest, opening)));
  return end < 0 ? rest : rest.slice(end);
}

function endOfLast(text: string, part: string): number {
  const at = part === "" ? -1 : text.lastIndexOf(part);
  return at < 0 ? -1 : at + part.length;
}
