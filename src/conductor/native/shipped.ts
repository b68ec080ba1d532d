// The trained Conductors that come with the package, in `models/`: where they are, which one is for which pool,
// and which one a name means. The path is the same from `src/` and from `dist/`.

import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { usageError } from "../../base/errors.ts";
import { loadCard } from "./checkpoint.ts";

const MODELS = fileURLToPath(new URL("../../../models/", import.meta.url));

/** The folder of a shipped checkpoint, or nothing where there is none of this name. */
export function findShipped(name: string): string | undefined {
  // A name, never a path: what lies elsewhere is named by its folder.
  if (!/^[\w-]+$/.test(name)) return undefined;
  const folder = join(MODELS, name);
  return existsSync(join(folder, "card.json")) ? folder : undefined;
}

/** The pools that a checkpoint is made for. */
export type TrainedFor = "rehearsal" | "recording" | "live";

/** The one for such a pool. Live models are more like recorded ones than like simulated ones. */
export function findShippedFor(world: TrainedFor): string | undefined {
  if (world === "rehearsal") return findShipped("rehearsal");
  return findShipped("recordings") ?? (world === "live" ? findShipped("rehearsal") : undefined);
}

/** What names a checkpoint in a journal: a shipped one wherever the package lies, others by their folder. */
export function toCheckpointName(folder: string): string {
  const path = resolve(folder);
  return dirname(path) === resolve(MODELS) ? basename(path) : folder;
}

/** The folder of the checkpoint with this name, or in this folder; undefined: the one for such a pool. */
export function findNative(named: string | undefined, world: TrainedFor): string {
  if (named !== undefined)
    return findShipped(named) ?? shippedFolders().find((each) => isCalled(each, named)) ?? named;
  const folder = findShippedFor(world);
  if (folder !== undefined) return folder;
  const names = shippedFolders().map((each) => basename(each));
  const there = names.length === 0 ? "" : ` (there are: ${names.join(", ")})`;
  throw usageError(
    `No trained Conductor for a ${world} pool comes with this package${there}: train one with tutti train, and name its folder as native:FOLDER.`,
  );
}

function shippedFolders(): string[] {
  const names = existsSync(MODELS) ? readdirSync(MODELS) : [];
  return names.flatMap((name) => findShipped(name) ?? []);
}

/** By the name on its card, which is the one that traces know. */
function isCalled(folder: string, name: string): boolean {
  try {
    return loadCard(folder).name === name;
  } catch {
    return false;
  }
}
