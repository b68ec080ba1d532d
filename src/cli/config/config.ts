// `tutti config`: which config is in force in this folder, where its workers are, and whether it is trusted. Trust is
// given here without running anything of the file.

import { existsSync } from "node:fs";
import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { toClock } from "../../base/format.ts";
import { type FoundConfig, findConfigFile, inspectConfig } from "../../config/load.ts";
import { toTrustPath } from "../../config/trust/digest.ts";
import { findDestinations } from "../../config/trust/reasons.ts";
import {
  addTrusted,
  findTrustProblem,
  isTrusted,
  listTrusted,
  removeTrusted,
} from "../../config/trust/trusted-files.ts";
import { toHostsText, toReasons, toShown } from "../open-config.ts";
import { unknownVerb } from "../options.ts";
import { printJson, printLines } from "../terminal/print.ts";
import { toOneLine } from "../terminal/sanitise.ts";

interface ConfigFlags {
  json?: boolean;
  list?: boolean;
}

export function define(command: Command): void {
  addJson(command)
    .enablePositionalOptions()
    .allowExcessArguments()
    .addHelpText(
      "after",
      "\nExamples:\n  $ tutti config\n  $ tutti config trust\n\nA config that is found in a folder, and not named with --config, must be trusted once for each content\nif it is code, sends a key to a host that is not that provider's, names the journal or deletes from it.",
    )
    .action(show);
  addJson(command.command("trust"))
    .description("trust the config of this folder, or FILE, until its content changes")
    .argument("[file]", "instead of tutti.config.{ts,js,mjs,yaml,yml,json} in this folder")
    .option("--list", "list what is trusted, and trust nothing")
    .allowExcessArguments(false)
    .addHelpText("after", "\nExamples:\n  $ tutti config trust\n  $ tutti config trust --list")
    .action(trust);
  addJson(command.command("untrust"))
    .description("take trust back, whatever the content was")
    .argument("[file]", "instead of the config in this folder")
    .allowExcessArguments(false)
    .addHelpText("after", "\nExample:\n  $ tutti config untrust")
    .action(untrust);
}

function addJson(command: Command): Command {
  return command.option("--json", "as JSON on standard output");
}

async function show(_flags: ConfigFlags, command: Command): Promise<void> {
  if (command.args.length > 0) throw unknownVerb("tutti config", command.args[0]!, ["trust", "untrust"]);
  const { json } = command.optsWithGlobals<ConfigFlags>();
  const file = findConfigFile(process.cwd());
  if (file === undefined)
    return json ? printJson(null) : printLines(["No config in this folder: everything is at its default."]);
  const { found, config } = await inspectConfig(file, process.env);
  const destinations = config ? findDestinations(config, process.env) : [];
  const trusted = toState(found);
  if (json) return printJson({ ...found, destinations, trusted });
  const why = found.reasons.length > 0 ? `: ${toReasons(found)}` : "";
  printLines([`${toShown(file)}${toHostsText(destinations)}`, `  ${STATES[trusted]}${why}`]);
}

const STATES = { yes: "trusted", no: "not trusted", "not-needed": "needs no trust" };

function toState(found: FoundConfig): keyof typeof STATES {
  if (found.reasons.length === 0) return "not-needed";
  return isTrusted(found, process.env) ? "yes" : "no";
}

async function trust(named: string | undefined, _flags: ConfigFlags, command: Command): Promise<void> {
  const { json, list } = command.optsWithGlobals<ConfigFlags>();
  if (list) return json ? printJson(listTrusted(process.env)) : printTrusted();
  const file = named ?? findHere();
  if (!existsSync(file)) throw usageError(`There is no config file ${file}`);
  const { found } = await inspectConfig(file, process.env);
  const problem = findTrustProblem(found.path, process.env);
  if (problem !== undefined)
    throw usageError(
      `Trust in ${toShown(found.path)} cannot be kept: ${problem}, so a stranger could have written it. Name the file with --config`,
    );
  await addTrusted(found, process.env);
  if (json) return printJson({ ...found, trusted: "yes" });
  const why = found.reasons.length > 0 ? `, although ${toReasons(found)}` : "";
  printLines([`${toShown(found.path)} is trusted until it changes${why}.`]);
}

function printTrusted(): void {
  const files = listTrusted(process.env);
  if (files.length === 0) printLines(["Nothing is trusted yet."]);
  printLines(files.map(({ path, trustedAt }) => `${toClock(trustedAt).slice(0, 16)}  ${toOneLine(path)}`));
}

async function untrust(named: string | undefined, _flags: ConfigFlags, command: Command): Promise<void> {
  const { json } = command.optsWithGlobals<ConfigFlags>();
  const path = toTrustPath(named ?? findHere());
  const removed = await removeTrusted(path, process.env);
  if (json) return printJson({ path, removed });
  printLines([`${toShown(path)} ${removed > 0 ? "is trusted no more" : "was not trusted"}.`]);
}

function findHere(): string {
  const file = findConfigFile(process.cwd());
  if (file === undefined) throw usageError("There is no config in this folder: name its file");
  return file;
}
