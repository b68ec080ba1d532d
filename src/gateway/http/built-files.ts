// Where the files of this package are that were built: the command, and the dashboard's page. Apart because this
// file runs from dist as it is shipped, and from src in tests, and both must find the same ones.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** `name` is a path inside of dist. Undefined where it was not built. */
export function findBuilt(name: string): string | undefined {
  const places = [
    new URL(`../../${name}`, import.meta.url),
    new URL(`../../../dist/${name}`, import.meta.url),
  ];
  return places.map((place) => fileURLToPath(place)).find((path) => existsSync(path));
}
