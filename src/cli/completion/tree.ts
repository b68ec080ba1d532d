// The verbs and flags of the command as commander knows them: what shells complete and what tests walk. Nothing is listed
// a second time.

import type { Command } from "commander";
import { valuesOf } from "../options.ts";

export interface VerbWords {
  /** "tutti", "tutti pool", "tutti pool check". */
  path: string;
  summary: string;
  verbs: string[];
  flags: FlagWords[];
}

interface FlagWords {
  /** "--quality". */
  name: string;
  summary: string;
  takesValue: boolean;
  /** What may follow; empty where it is a number, a text or a file. */
  values: readonly string[];
}

/** Names that are no fixed choice, but are known everywhere. */
const NAMED_VALUES: Record<string, readonly string[]> = {
  "--pool": ["rehearsal"],
  "--conductor": ["prompted", "native", "trinity", "scripted-planner"],
};

/** The command itself and everything below it. */
export function toVerbWords(command: Command, before: readonly string[] = []): VerbWords[] {
  const path = [...before, command.name()];
  const verbs = command.commands.map((verb) => verb.name());
  const flags = [...command.options.map(toFlag), HELP];
  const own = { path: path.join(" "), summary: command.description(), verbs, flags };
  return [own, ...command.commands.flatMap((verb) => toVerbWords(verb, path))];
}

const HELP: FlagWords = { name: "--help", summary: "show this help", takesValue: false, values: [] };

function toFlag({
  long,
  short,
  description,
  required,
  optional,
  parseArg,
}: Command["options"][number]): FlagWords {
  const name = long ?? short ?? "";
  const values = valuesOf(parseArg) ?? NAMED_VALUES[name] ?? [];
  return { name, summary: description, takesValue: required || optional, values };
}
