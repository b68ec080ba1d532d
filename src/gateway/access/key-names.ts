// Names that a key is restricted to: a typing error in `without` would let through what it was meant to keep out, so
// they must be known. Apart because the command and the dashboard must refuse the same ones.

import { usageError } from "../../base/errors.ts";
import { shorten } from "../../base/format.ts";
import { didYouMean } from "../../base/suggest.ts";
import { LOCAL_SERVERS, PROVIDERS } from "../../config/default-models.ts";
import { isPoolMember, type TuttiConfig, toWorkerId } from "../../config/schema.ts";

/** Throws for a name that is neither a provider nor a worker of the config. */
export function checkKeyNames(wanted: readonly string[], config: Pick<TuttiConfig, "workers">): void {
  const workers = (config.workers ?? []).flatMap((entry) =>
    isPoolMember(entry) || typeof entry.model !== "string"
      ? [toWorkerId(entry)]
      : [toWorkerId(entry), entry.model],
  );
  const providers = [...PROVIDERS, ...LOCAL_SERVERS].map(({ id }) => id);
  const known = [
    ...new Set([...providers, "rehearsal", ...workers, ...workers.map((id) => id.split("/")[0]!)]),
  ];
  const isKnown = (name: string) => known.includes(name) || known.includes(name.toLowerCase());
  for (const name of wanted) {
    const start = name.replace(/\*$/, "");
    if (start.includes("*"))
      throw usageError(`"${name}" has a * that is not at its end, as in "openai/gpt-5*"`);
    if (isKnown(start) || isKnown(start.split("/")[0]!)) continue;
    throw usageError(
      `No provider or worker "${shorten(name)}" (there are: ${known.join(", ")}).${didYouMean(name, known)}`,
    );
  }
}
