// The config as every verb gets it: the file that --config names, or the one of this folder. One that was only found
// is named on standard error with the hosts it asks, and must be trusted where it runs code, sends a key to a
// stranger or touches the journal: a person is asked once for each content, and nobody else can say yes.

import { relative } from "node:path";
import { TuttiError } from "../base/errors.ts";
import { type FoundConfig, type LoadedConfig, loadConfig } from "../config/load.ts";
import { type Destination, findDestinations, toReasonText } from "../config/trust/reasons.ts";
import { addTrusted, findTrustProblem, isTrusted } from "../config/trust/trusted-files.ts";
import { confirm } from "./terminal/confirm.ts";
import { toOneLine } from "./terminal/sanitise.ts";
import { createStyle } from "./terminal/style.ts";

/** More than a line holds; strangers come first, so none of them is left out of sight. */
const MOST_HOSTS = 6;

export interface OpenConfigOptions {
  /** Of --config. */
  file?: string;
  /** Named by a file and not by a person: see `LoadOptions`. */
  isSaved?: boolean;
  /** Leaves the line out where all hosts are known ones. */
  isQuiet?: boolean;
}

/** A verb may need it twice: it is read, told and asked for once. */
const opened = new Map<string | undefined, Promise<LoadedConfig>>();

export function openConfig(options: OpenConfigOptions): Promise<LoadedConfig> {
  const before = opened.get(options.file);
  if (before) return before;
  const opening = open(options);
  opened.set(options.file, opening);
  return opening;
}

async function open({ file, isSaved, isQuiet = false }: OpenConfigOptions): Promise<LoadedConfig> {
  const loaded = await loadConfig({ cwd: process.cwd(), file, isSaved, env: process.env, approve });
  if ((file === undefined || isSaved) && loaded.file !== undefined)
    tell(loaded.file, findDestinations(loaded.config, process.env), isQuiet);
  return loaded;
}

function tell(file: string, destinations: readonly Destination[], isQuiet: boolean): void {
  if (isQuiet && destinations.every(({ isKnown, variable }) => isKnown && variable === undefined)) return;
  const { dim } = createStyle(process.stderr, process.env);
  process.stderr.write(`${dim(`Config ${toShown(file)}${toHostsText(destinations)}`)}\n`);
}

/** ": api.openai.com, models.example.com (ACME_KEY)" */
export function toHostsText(destinations: readonly Destination[]): string {
  const hosts = destinations.map(({ host, variable }) => (variable ? `${host} (${variable})` : host));
  const unique = [...new Set(hosts)];
  const more = unique.length > MOST_HOSTS ? [`and ${unique.length - MOST_HOSTS} more`] : [];
  return unique.length === 0
    ? ""
    : `: ${[...unique.slice(0, MOST_HOSTS), ...more].map(toOneLine).join(", ")}`;
}

async function approve(found: FoundConfig): Promise<void> {
  const { path, reasons } = found;
  if (reasons.length === 0 || isTrusted(found, process.env)) return;
  const name = toShown(path);
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw untrusted(`${name} was found here, nobody has trusted it, and ${toReasons(found)}.`, name);
  const lines = reasons.map((reason) => `  ${toOneLine(toReasonText(reason))}\n`).join("");
  process.stderr.write(`${toOneLine(path)} was found here and is not trusted yet:\n${lines}`);
  if (!(await confirm("Trust it until it changes?"))) throw untrusted(`${name} is not trusted.`, name);
  const problem = findTrustProblem(path, process.env);
  if (problem === undefined) await addTrusted(found, process.env);
  else process.stderr.write(`Trusted this once: ${toOneLine(problem)}.\n`);
}

/** "it sends A to b, and it deletes …" */
export function toReasons({ reasons }: FoundConfig): string {
  return reasons.map(toReasonText).map(toOneLine).join(", and ");
}

function untrusted(what: string, name: string): TuttiError {
  const ways = `Read it. If you trust it: tutti config trust, or name it with --config ${name}`;
  return new TuttiError("untrusted-config", `${what} Nothing of it was run or sent. ${ways}`);
}

/** As it can be typed in this folder. */
export function toShown(path: string): string {
  return toOneLine(relative(process.cwd(), path) || path);
}
