// The id of the first key, as the file of keys has it.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export function firstKeyId(home) {
  return JSON.parse(readFileSync(join(home, "keys.json"), "utf8")).keys[0].id;
}
