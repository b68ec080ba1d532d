// The trained Conductors that come with the package, in `models/`: where they are, and which one is for which
// pool. The path is the same from `src/` and from `dist/`.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MODELS = fileURLToPath(new URL("../../../models/", import.meta.url));

/** The folder of a shipped checkpoint, or nothing where there is none of this name. */
export function findShipped(name: string): string | undefined {
  // A name, never a path: what is elsewhere is named by its folder.
  if (!/^[\w-]+$/.test(name)) return undefined;
  const folder = join(MODELS, name);
  return existsSync(join(folder, "card.json")) ? folder : undefined;
}

export type PoolWorld = "rehearsal" | "recording" | "live";

/** Live models are more like recorded ones than like simulated ones. */
export function findShippedFor(world: PoolWorld): string | undefined {
  if (world === "rehearsal") return findShipped("rehearsal");
  return findShipped("recordings") ?? (world === "live" ? findShipped("rehearsal") : undefined);
}
