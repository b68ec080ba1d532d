// `tutti workflow`: workflows of one's own, kept by name.

import { existsSync, mkdirSync, rmSync } from "node:fs";
import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { toCount } from "../../base/format.ts";
import { writePrivateFile } from "../../files/private.ts";
import type { NamedWorkflow } from "../../workflow/types.ts";
import { type CommonFlags, unknownVerb } from "../options.ts";
import { printJson, printLines } from "../terminal/print.ts";
import { sanitise, toOneLine } from "../terminal/sanitise.ts";

const VERBS = ["save", "list", "show", "delete"];

export function define(command: Command): void {
  command
    .enablePositionalOptions()
    .allowExcessArguments()
    .addHelpText(
      "after",
      '\nExamples:\n  $ tutti workflow save draft-and-check plan.yaml\n  $ tutti ask --workflow draft-and-check "…"\n\nHow they are written: docs/workflows.md',
    )
    .action((_flags: object, self: Command) => {
      const [word] = self.args;
      if (word !== undefined) throw unknownVerb("tutti workflow", word, VERBS);
      self.outputHelp();
    });
  verb(command, "save", "keep a workflow under a name")
    .argument("<name>", "letters, digits, - and _")
    .argument("<file>", "the workflow: YAML, JSON or the Conductor's lists")
    .option("--force", "also where there is one of this name")
    .addHelpText("after", "\nExample:\n  $ tutti workflow save draft-and-check plan.yaml")
    .action(save);
  verb(command, "list", "the workflows that are saved")
    .addHelpText("after", "\nExample:\n  $ tutti workflow list")
    .action(list);
  verb(command, "show", "show a workflow as it was written")
    .argument("<name>", "its name")
    .addHelpText("after", "\nExample:\n  $ tutti workflow show draft-and-check")
    .action(show);
  verb(command, "delete", "delete a workflow that was saved")
    .argument("<name>", "its name")
    .addHelpText("after", "\nExample:\n  $ tutti workflow delete draft-and-check")
    .action(remove);
}

function verb(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option("--config <file>", "the config file, which may hold workflows too")
    .option("--json", "as JSON on standard output");
}

const load = () => import("./find-workflow.ts");

async function save(name: string, file: string, flags: CommonFlags & { force?: boolean }): Promise<void> {
  const { NAME, toWorkflowFolder, toWorkflowPath } = await load();
  if (!NAME.test(name))
    throw usageError(
      `"${name}" cannot be the name of a workflow: use letters, digits, - and _, such as draft-and-check`,
    );
  const [{ readTextFile }, { parseWrittenWorkflow }] = await Promise.all([
    import("../ask/read-input.ts"),
    import("../../config/workflow-text.ts"),
  ]);
  const text = await readTextFile(file);
  const workflow = parseWrittenWorkflow(text, file);
  const path = toWorkflowPath(name);
  if (existsSync(path) && !flags.force)
    throw usageError(`there is a workflow "${name}" already: choose another name, or add --force`);
  mkdirSync(toWorkflowFolder(), { recursive: true, mode: 0o700 });
  writePrivateFile(path, text);
  if (flags.json) printJson({ name, ...workflow });
  else
    printLines([`Saved "${name}": ${describe(workflow)}.`, `Ask with it: tutti ask --workflow ${name} "…"`]);
}

async function list({ json, config }: CommonFlags): Promise<void> {
  const all = await (await load()).listWorkflows(config);
  if (json) return printJson(all.map(({ name, source, workflow }) => ({ name, source, ...workflow })));
  if (all.length === 0)
    return printLines(["No workflow is saved. Begin with: tutti workflow save NAME FILE"]);
  printLines(all.map(({ name, source, workflow }) => `${name}  ${describe(workflow)} (${source})`));
}

async function show(name: string, { json, config }: CommonFlags): Promise<void> {
  const { text, source, workflow } = await (await load()).findSaved(name, config);
  if (json) return printJson({ name, source, ...workflow });
  if (text !== undefined) return printLines([sanitise(text).trimEnd()]);
  const { stringify } = await import("yaml");
  printLines([sanitise(stringify(workflow)).trimEnd()]);
}

async function remove(name: string, { json, config }: CommonFlags): Promise<void> {
  const { findSaved, toWorkflowPath } = await load();
  const { source } = await findSaved(name, config);
  if (source === "config") throw usageError(`the workflow "${name}" stands in the config: take it out there`);
  rmSync(toWorkflowPath(name));
  if (json) printJson({ deleted: [name] });
  else printLines([`Deleted "${name}".`]);
}

/** "2 steps: gpt-5, claude" */
function describe({ steps }: NamedWorkflow): string {
  const workers = steps.map(({ worker }) =>
    typeof worker === "number" ? `worker ${worker}` : toOneLine(worker),
  );
  return `${toCount(steps.length, "step")}: ${workers.join(", ")}`;
}
