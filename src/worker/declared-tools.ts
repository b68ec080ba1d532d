// Which calls of tools count. A client runs what it is told to, so a call of a tool that this very request did not
// declare is never passed on: neither one that the model made up nor one that somebody talked it into.

import { TuttiError } from "../base/errors.ts";
import type { WorkerRequest } from "./types.ts";

const LONGEST_SHOWN = 60;

export function isDeclared({ tools = [], toolChoice }: WorkerRequest, name: string): boolean {
  return toolChoice !== "none" && tools.some((tool) => tool.name === name);
}

/** A reply that was nothing but such a call is no reply: somebody else may have one. */
export function undeclaredTool(workerId: string, name: string): TuttiError {
  const shown = name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name;
  return new TuttiError("undeclared-tool", `${workerId} called the tool "${shown}", which it was not given`);
}
