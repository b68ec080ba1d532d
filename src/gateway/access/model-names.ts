// Which models the entries of a key name. One model has many names: in other letters, dated, "latest", with a variant
// or a region behind it, through a reseller. Whoever is to be kept away from it must not reach it by another one.
// Covered: every way of writing the name itself. Not covered: a name that a provider made up for the same model.

/** More than any model's name has. */
const LONGEST_NAME = 256;
const PART = /^[A-Za-z0-9_][A-Za-z0-9._:@+=~-]*$/;

/**
 * A name of a model as providers write them: parts between single slashes, of plain characters. Nothing else is looked
 * for outside the config: escapes, dots that lead elsewhere and look-alike letters are other ways to write a name.
 */
export function isPlainName(name: string): boolean {
  return name.length <= LONGEST_NAME && name.split("/").every((part) => PART.test(part));
}

/**
 * What may be asked: a provider ("openai"), everything below a path ("openrouter/deepseek"), a model by its own name, or
 * a family ("openai/gpt-5*"). A snapshot of a model is not the model: `only` names exactly.
 */
export function isNamedExactly(entries: readonly string[], name: string): boolean {
  const path = `${name.toLowerCase()}/`;
  return entries.some((entry) => {
    const wanted = entry.toLowerCase();
    return path.startsWith(wanted.endsWith("*") ? wanted.slice(0, -1) : `${wanted}/`);
  });
}

/**
 * What may not be asked: the same, and each model by all its names: in any letters, its dated and latest snapshots, its
 * variants ("gpt-5:free", "gpt-5@eu"), and wherever else it is offered ("openrouter/openai/gpt-5", "acme/gpt-5").
 */
export function isNamedAnyhow(entries: readonly string[], name: string): boolean {
  if (entries.length === 0) return false;
  const names = toVariants(name).flatMap(toTails);
  if (name.includes("/") && names.includes(ANY_MODEL)) return true;
  return entries.some((entry) => {
    const isFamily = entry.endsWith("*");
    const wanted = fold(isFamily ? entry.slice(0, -1) : entry);
    const begins = (other: string, start: string) =>
      isFamily ? other.startsWith(start) : other === start || other.startsWith(`${start}/`);
    const model = wanted.slice(wanted.lastIndexOf("/") + 1);
    return names.some(
      (other) => begins(other, wanted) || (model !== "" && !other.includes("/") && begins(other, model)),
    );
  });
}

/** A reseller's name for whichever model it likes, so also for the one that may not be asked. */
const ANY_MODEL = "auto";

/** Providers differ in letters and in what stands between the parts of a version: "opus-5.5", "opus-5-5". */
function fold(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[._\s]/g, "-");
}

/** "openrouter/openai/gpt-5", "openai/gpt-5" and "gpt-5": a reseller puts its own name before another's. */
function toTails(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, start) => parts.slice(start).join("/"));
}

/** Before a model: a region and a vendor, as in "us.anthropic.claude-opus-5". */
const VENDOR = /(?<=^|\/)(?:[a-z]{2,6}\.)?[a-z]+\.(?=[a-z][^/]*$)/;
/** Behind a model: a variant or a region; a date; "latest" and the like. In folded letters. */
const VARIANT = /[:@][^/]*$/;
const DATE = /-(?:\d{4}-\d{2}(?:-\d{2})?|\d{2}-\d{2}(?:-\d{4})?|\d{8}|\d{6}|\d{4}|\d{3})$/;
const STATE = /-(?:latest|preview|exp|experimental|beta|stable|snapshot|default|current|v\d+)$/;

/** The path, and all that is left of it when what may stand before and behind a model is taken off bit by bit. */
function toVariants(name: string): string[] {
  const path = name.toLowerCase();
  const variants = new Set<string>();
  for (let rest of [fold(path), fold(path.replace(VENDOR, ""))]) {
    while (!variants.has(rest)) {
      variants.add(rest);
      const suffix = [VARIANT, DATE, STATE].find((each) => each.test(rest));
      if (suffix) rest = rest.replace(suffix, "");
    }
  }
  return [...variants];
}
