// What is published about models that nobody has measured here: data only, each fact with its source and date. A planner
// is told it where a worker has no profile, so that price alone does not decide. A model that is not here is unknown, and
// nothing is guessed from its name. Context windows come from the price catalogue (worker/price.ts).

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

/** Models that see images, by how their names begin. From their makers' own names and descriptions, as of 2026-11. */
const SEES_IMAGES =
  /^(?:gpt-4o|gpt-4-1|gpt-4-turbo|gpt-(?:[5-9]|\d{2})|o1(?!-mini)|o3(?!-mini)|o4|claude|gemini|pixtral|llava|gemma-?3|llama-?4)|vision|-vl(?:-|$)|\d-?vl/;
/** Models that take text alone. */
const TEXT_ONLY =
  /^(?:gpt-3-5|gpt-oss|o[13]-mini|deepseek|codestral|mistral-7b|mixtral|llama-?[23]|qwen|qwq|phi-?3-mini|gemma-?2)/;

/** Undefined where nothing is known: a model that nobody knows is given what there is. */
export function seesImages(workerId: string): boolean | undefined {
  const name = toModelName(workerId);
  const { vision } = publishedAbilities(workerId) ?? {};
  if (vision !== undefined) return vision;
  if (SEES_IMAGES.test(name)) return true;
  return TEXT_ONLY.test(name) ? false : undefined;
}

/** What a model takes and does, as its provider publishes it. A field that is absent is unknown. */
export interface PublishedAbilities {
  /** Reads images. */
  vision?: boolean;
  /** Calls tools. */
  tools?: boolean;
  /** Thinks before it answers. */
  reasoning?: boolean;
  source: string;
  /** When the provider published it: year and month. */
  publishedOn: string;
}

const ALL = { vision: true, tools: true, reasoning: true };

const ABILITIES: Record<string, PublishedAbilities> = {
  "gpt-5": { ...ALL, source: "OpenAI's announcement", publishedOn: "2025-08" },
  "gpt-5-mini": { ...ALL, source: "OpenAI's announcement", publishedOn: "2025-08" },
  "claude-opus-4-5": { ...ALL, source: "Anthropic's announcement", publishedOn: "2025-11" },
  "gemini-3-pro": { ...ALL, source: "Google's announcement", publishedOn: "2025-11" },
  "deepseek-v3-2": {
    ...{ vision: false, tools: true, reasoning: true },
    ...{ source: "DeepSeek's release note", publishedOn: "2025-12" },
  },
};

/** Undefined where nothing is published that we know of. */
export function publishedAbilities(workerId: string): PublishedAbilities | undefined {
  const name = toModelName(workerId);
  return Object.hasOwn(ABILITIES, name) ? ABILITIES[name] : undefined;
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
