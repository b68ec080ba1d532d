// Which weights come with the package for a live pool: what a bench has shown is of these and no others.

import { isTuttiError } from "../base/errors.ts";
import { digestOf } from "./native/opened.ts";
import { findShippedNative } from "./native/shipped.ts";
import { loadTrinity } from "./trinity/checkpoint.ts";
import { findTrinityFor } from "./trinity/open.ts";

const TRAINED = {
  native: () => toDigest(findShippedNative(), digestOf),
  trinity: () => toDigest(findTrinityFor("live"), (folder) => loadTrinity(folder).digest),
};

export type ShippedKind = keyof typeof TRAINED;
export const SHIPPED_KINDS = Object.keys(TRAINED) as ShippedKind[];

/** Undefined where none is there, or none that can be read. */
export function digestOfShipped(kind: ShippedKind): string | undefined {
  return TRAINED[kind]();
}

function toDigest(folder: string | undefined, read: (folder: string) => string): string | undefined {
  if (folder === undefined) return undefined;
  try {
    return read(folder);
  } catch (error) {
    if (isTuttiError(error) || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
