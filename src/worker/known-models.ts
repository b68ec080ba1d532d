// What is known about models that nobody has measured here, so that price alone does not decide. Scores are published
// ones, each with its source and date. Abilities are read from names, by us, and said to be. A model that is not here is
// unknown. Context windows come from the price catalogue (worker/price.ts).

export interface PublishedScore {
  /** As people call the benchmark. */
  benchmark: string;
  /** In percent. */
  score: number;
  source: string;
  /** When the source was read: year and month. */
  readOn: string;
}

const CONDUCTOR_PAPER = { source: "Conductor paper, ICLR 2026, unconstrained setting", readOn: "2026-11" };
const SWE_BENCH = { source: "SWE-bench Verified, 23 models under one fixed agent", readOn: "2026-11" };

const swe = (score: number): PublishedScore => ({ benchmark: "SWE-bench Verified", score, ...SWE_BENCH });

/** By the model's own name, without provider, date and variant. */
const PUBLISHED: Record<string, PublishedScore[]> = {
  "gpt-5": [
    { benchmark: "MMLU", score: 93.5, ...CONDUCTOR_PAPER },
    { benchmark: "MATH500", score: 99, ...CONDUCTOR_PAPER },
    { benchmark: "AIME25", score: 90.8, ...CONDUCTOR_PAPER },
    { benchmark: "GPQA Diamond", score: 82.3, ...CONDUCTOR_PAPER },
    { benchmark: "LiveCodeBench", score: 82.9, ...CONDUCTOR_PAPER },
    { benchmark: "BigCodeBench", score: 32.75, ...CONDUCTOR_PAPER },
  ],
  "gpt-5-mini": [swe(59.8)],
  "claude-opus-4-5": [swe(74.4)],
  "gemini-3-pro": [swe(74.2)],
  "deepseek-v3-2": [swe(60)],
};

/** What a model takes and does. A field that is absent is unknown. */
export interface Abilities {
  /** Sees images. */
  vision?: boolean;
  /** Calls tools. */
  tools?: boolean;
  /** Thinks before it answers. */
  reasoning?: boolean;
}

const ALL: Abilities = { vision: true, tools: true, reasoning: true };

/**
 * Abilities by how a name begins: our own reading of the makers' naming, as of 2026-11, and no published list (the price
 * catalogue has no abilities). The first row that matches counts; a name that no row knows is unknown.
 */
const ABILITIES: readonly (readonly [RegExp, Abilities])[] = [
  [/vision|-vl(?:-|$)|\d-?vl|^llava|^pixtral/, { vision: true }],
  [/^gpt-3-5/, { vision: false, tools: true, reasoning: false }],
  [/^gpt-(?:4-turbo|4o|4-1|\d+(?:-\d)?-chat)/, { vision: true, tools: true, reasoning: false }],
  [/^gpt-oss/, { vision: false, tools: true, reasoning: true }],
  [/^gpt-(?:[5-9]|\d{2})/, ALL],
  [/^o[13]-mini/, { vision: false, reasoning: true }],
  [/^o[134](?:-|$)/, { vision: true, reasoning: true }],
  [/^claude-(?!2|instant)|^gemini/, { vision: true, tools: true }],
  [/^gemma-?3|^llama-?4/, { vision: true }],
  [/^deepseek-(?:r1|reasoner)|^qwq/, { vision: false, reasoning: true }],
  [/^deepseek-v3-2/, { vision: false, tools: true, reasoning: true }],
  [/^deepseek|^codestral|^mistral-7b|^mixtral|^llama-?[23]|^phi-?3-mini|^gemma-?2/, { vision: false }],
  [/^qwen-?(?:1-5|2|3(?!-[5-9](?:-|$)))/, { vision: false }],
];

/** Empty where nothing is known. */
export function knownAbilities(workerId: string): Abilities {
  const name = toModelName(workerId);
  return ABILITIES.find(([pattern]) => pattern.test(name))?.[1] ?? {};
}

/** Empty where nothing is published that we know of. */
export function publishedScores(workerId: string): readonly PublishedScore[] {
  const name = toModelName(workerId);
  return Object.hasOwn(PUBLISHED, name) ? PUBLISHED[name]! : [];
}

/** "openrouter/anthropic/claude-opus-4.5", "anthropic/claude-opus-4-5-20251101" → "claude-opus-4-5": whichever way it is reached. */
export function toModelName(workerId: string): string {
  return workerId
    .slice(workerId.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/:(free|latest)$/, "")
    .replace(/[._:\s]/g, "-")
    .replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8})$/, "")
    .replace(/-(latest|preview)$/, "");
}

/** "llama3.3:70b" → 70: the billions of weights that a name tells; 0 where it tells none. */
export function toBillions(model: string): number {
  const sizes = [...model.toLowerCase().matchAll(/(?<![\w.])(\d+(?:\.\d+)?)b(?![a-z0-9])/g)];
  return Math.max(0, ...sizes.map(([, size]) => Number(size)));
}
