// Other names of models. Coding agents ask for models by themselves that nobody here has configured: Claude Code a small one
// for titles, Codex one that its own provider has. Such names mean something here, or half of a session would be a 404: a
// name of the config first, then a worker that is that model, then that very model where its provider's key is there, and
// at last a team, the cheapest worker where the name is that of a small model. Pure.

import { toModelName } from "../../worker/known-models.ts";

/** What stands for a name that no worker has. */
export interface Meaning {
  /** Asked for in its place, in this order: the first that there is. */
  names: string[];
}

/** Models that agents ask for by themselves, and whose they are. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^(?:claude-|(?:haiku|sonnet|opus)(?:-|$))/, "anthropic"],
  [/^(?:gpt-[3-9]|gpt-\d{2}|o[1-9](?:-|$)|codex-|chatgpt-)/, "openai"],
  [/^gemini-/, "google"],
];
/** No chat model, so no team can take its place. */
const NO_CHAT: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:text-embedding-|omni-moderation|text-moderation|dall-e|gpt-image|whisper|tts-|.*-(?:transcribe|tts)(?:-|$))/,
    "openai",
  ],
  [/^(?:mistral-embed|codestral-embed)/, "mistral"],
  [/^(?:rerank-|embed-)/, "cohere"],
];
/** Asked for titles, summaries and the like. */
const SMALL = /(?:^|-)(?:haiku|mini|nano|flash|lite|small)(?:-|$)/;

/** `aliases`: of the config. `workers`: ids of the pool. Undefined for a name that means nothing here. */
export function findMeaning(
  name: string,
  aliases: Readonly<Record<string, string>>,
  workers: readonly string[],
): Meaning | undefined {
  const own = findAlias(name, aliases);
  if (own !== undefined) return { names: [own] };
  if (name.includes("/")) return undefined;
  const model = toModelName(name);
  const same = workers.filter((id) => id.includes("/") && toModelName(id) === model);
  const other = NO_CHAT.find(([pattern]) => pattern.test(model));
  if (other) return { names: [...same.slice(0, 1), `${other[1]}/${name}`] };
  const family = FAMILIES.find(([pattern]) => pattern.test(model));
  const team = family && (SMALL.test(model) ? "tutti-fast" : "tutti");
  // Of two workers with the same model none is meant more than the other: the first is as good.
  const names = [...same.slice(0, 1), ...(family ? [`${family[1]}/${name}`] : []), ...(team ? [team] : [])];
  return names.length > 0 ? { names } : undefined;
}

/** By its very name, else by the longest that ends in "*" and begins it. */
export function findAlias(name: string, aliases: Readonly<Record<string, string>>): string | undefined {
  if (Object.hasOwn(aliases, name)) return aliases[name];
  const patterns = Object.keys(aliases).filter(
    (alias) => alias.endsWith("*") && name.startsWith(alias.slice(0, -1)),
  );
  const [longest] = patterns.sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : aliases[longest];
}
