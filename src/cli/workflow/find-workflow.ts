// Workflows that were saved: text files in TUTTI_HOME/workflows, and those of the config. A file that is there wins over a
// saved name, the config over the home.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { usageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/suggest.ts";
import { toTuttiHome } from "../../config/home.ts";
import { parseWrittenWorkflow, toNamedWorkflow } from "../../config/workflow-text.ts";
import type { NamedWorkflow } from "../../workflow/types.ts";
import { readTextFile } from "../ask/read-input.ts";
import { openConfig } from "../open-config.ts";

export interface SavedWorkflow {
  name: string;
  /** Where it is kept: the config, or a file of the home. */
  source: "config" | "home";
  workflow: NamedWorkflow;
  /** As it was written. Absent for those of the config. */
  text?: string;
}

export const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export function toWorkflowFolder(): string {
  return join(toTuttiHome(process.env), "workflows");
}

/** Of a name that keeps to NAME, so that it cannot lead elsewhere. */
export function toWorkflowPath(name: string): string {
  return join(toWorkflowFolder(), `${name}.yaml`);
}

export async function listWorkflows(config: string | undefined): Promise<SavedWorkflow[]> {
  const { workflows = {} } = (await openConfig({ file: config })).config;
  const own = Object.entries(workflows).map(
    ([name, written]): SavedWorkflow => ({ name, source: "config", workflow: toNamedWorkflow(written) }),
  );
  const folder = toWorkflowFolder();
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".yaml")) : [];
  const saved = files.flatMap((file): SavedWorkflow[] => {
    const name = file.slice(0, -".yaml".length);
    if (own.some((other) => other.name === name)) return [];
    const text = readFileSync(join(folder, file), "utf8");
    return [{ name, source: "home", text, workflow: parseWrittenWorkflow(text, `the workflow "${name}"`) }];
  });
  return [...own, ...saved].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export async function findSaved(name: string, config: string | undefined): Promise<SavedWorkflow> {
  const all = await listWorkflows(config);
  const found = all.find((each) => each.name === name);
  if (found) return found;
  const names = all.map((each) => each.name);
  const there = names.length === 0 ? "none is saved" : `there are: ${names.join(", ")}`;
  throw usageError(`there is no workflow "${name}" (${there}).${didYouMean(name, names)}`);
}

/** Of `--workflow`: a file, or the name of a saved one. */
export async function findWorkflow(wanted: string, config: string | undefined): Promise<NamedWorkflow> {
  if (existsSync(wanted) || !NAME.test(wanted))
    return parseWrittenWorkflow(await readTextFile(wanted), wanted);
  return (await findSaved(wanted, config)).workflow;
}
