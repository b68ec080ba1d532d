// The tables of hostile programs stand with the tests that use them too.
import { fileURLToPath } from "node:url";
import { createJiti } from "jiti";

/** The exports of src/testing/attacks/NAME.ts. */
export function loadTable(name) {
  const file = fileURLToPath(new URL(`../../src/testing/attacks/${name}.ts`, import.meta.url));
  return createJiti(import.meta.url).import(file);
}
