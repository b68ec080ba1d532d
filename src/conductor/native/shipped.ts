// The trained Conductors that come with the package, in `models/`: where they are, and which one a name means. The path
// is the same from `src/` and from `dist/`.

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

/** One was trained for every kind of pool: it reads whether models may be shown each other's replies. */
const SHIPPED = "conductor";
/** As it was called while there were two of them. */
const FORMER_NAMES: readonly string[] = ["rehearsal", "recordings"];

/** The one that plans where nobody names another one. */
export function findShippedNative(): string | undefined {
  return findShipped(SHIPPED);
}

/** What names a checkpoint in a journal: a shipped one wherever the package lies, others by their folder. */
export function toCheckpointName(folder: string): string {
  const path = resolve(folder);
  return dirname(path) === resolve(MODELS) ? basename(path) : folder;
}

/** The folder of the checkpoint with this name, or in this folder; undefined: the one that is shipped. */
export function findNative(named: string | undefined): string {
  const folder = findShippedNative();
  if (named !== undefined) {
    const known = findShipped(named) ?? shippedFolders().find((each) => isCalled(each, named));
    return known ?? (FORMER_NAMES.includes(named) ? folder : undefined) ?? named;
  }
  if (folder !== undefined) return folder;
  const names = shippedFolders().map((each) => basename(each));
  const there = names.length === 0 ? "" : ` (there are: ${names.join(", ")})`;
  throw usageError(
    `No trained Conductor comes with this package${there}: train one with tutti train, and name its folder as native:FOLDER.`,
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
