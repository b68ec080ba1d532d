// `tutti init`: from an environment to a commented config, in one minute. It finds keys and local servers, asks each worker
// one tiny question (its price is said before), says who would conduct and why, and ends with the next command.

import { existsSync } from "node:fs";
import type { Command } from "commander";
import { TuttiError, usageError } from "../../base/errors.ts";
import { toCount, toDelay, toMoney } from "../../base/format.ts";
import { modelsOf } from "../../worker/kinds.ts";
import { confirm } from "../terminal/confirm.ts";
import { printJson } from "../terminal/print.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { columnsOf, createStyle, type Style } from "../terminal/style.ts";
import { wrap } from "../terminal/text-width.ts";
import type { CalibrationOffer, Survey } from "./survey.ts";

interface InitFlags {
  yes?: boolean;
  force?: boolean;
  json?: boolean;
}

const FILE = "tutti.config.yaml";
const NEXT = 'tutti ask "Which sorting algorithm suits nearly sorted lists, and why?"';
const NOTHING =
  "No provider key and no local server was found, so nothing was written. Get a key and export it (export OPENAI_API_KEY=…; ANTHROPIC_API_KEY, GEMINI_API_KEY and OPENROUTER_API_KEY are known, too), or run models on this machine: ollama serve, then ollama pull qwen3. Then again: tutti init";

export function define(command: Command): void {
  command
    .option("--yes", "ask each worker its tiny question without asking you first")
    .option("--force", `replace ${FILE} where it is there already`)
    .option("--json", "what was found and written as JSON on standard output")
    .addHelpText(
      "after",
      `
Examples:
  $ tutti init
  $ tutti init --yes --json

It looks for keys in the environment and for local servers (Ollama, llama.cpp, vLLM, LM Studio), and writes ${FILE}
into this folder: never a key, only the name of its variable. Without a terminal and without --yes nobody is asked
anything that costs money. Exit code 1 when nobody can be asked; nothing is written then.`,
    )
    .action(init);
}

async function init({ yes = false, force = false, json = false }: InitFlags): Promise<void> {
  const style = createStyle(process.stderr, process.env);
  const say = (text: string) => void (json || process.stderr.write(`${text}\n`));
  const isPerson = !json && Boolean(process.stdin.isTTY && process.stderr.isTTY);
  await checkFree(force, isPerson && !yes);
  const { check, findConductor, findWorkers, offerCalibration } = await import("./survey.ts");

  const found = await findWorkers(process.env);
  if (!found) throw new TuttiError("no-worker", NOTHING);
  say(`${style.bold("Found")} ${toCount(modelsOf(found.pool).length, "worker")}:`);
  for (const { worker, source = "" } of modelsOf(found.pool))
    say(`  ${toOneLine(worker.id)}${source && style.dim(`  from ${toOneLine(source)}`)}`);

  for (const text of found.warnings) {
    const lines = wrap(toOneLine(text), columnsOf(process.stderr) - 5);
    say(`  ${style.yellow("!")} ${lines.join("\n    ")}`);
  }

  const survey = (await isAgreed(found, { yes, isPerson, say })) ? await check(found) : found;
  if (survey.checks) tellChecks(survey, style, say);
  if (modelsOf(survey.pool).length === 0)
    throw new TuttiError("no-worker", `None of them replies, so nothing was written. ${toReasons(survey)}`);

  const conductor = await findConductor(survey, process.env);
  say(`${style.bold("Conductor")}: ${toOneLine(conductor.id)}\n${toIndented(conductor.reason)}`);
  const calibrate = await offerCalibration(survey);
  const file = await write(survey, conductor, calibrate);
  say(`${style.bold("Wrote")} ${file}`);
  if (isPerson && !yes) await offer(survey, calibrate, say);
  else say(`${style.bold("Measure")}: ${calibrate.command}\n${toIndented(toOffer(calibrate))}`);
  say(`${style.bold("Next")}: ${NEXT}`);
  if (!json) return;
  const workers = modelsOf(survey.pool).map(({ worker: { id }, price }) => ({
    id,
    price,
    check: survey.checks?.find((each) => each.id === id),
  }));
  printJson({ file, workers, leftOut: survey.leftOut, conductor, calibrate, next: NEXT });
}

/** As wide as the terminal, under the line that it explains. */
function toIndented(text: string): string {
  return wrap(toOneLine(text), columnsOf(process.stderr) - 3)
    .map((line) => `  ${line}`)
    .join("\n");
}

/** Nothing that a person wrote is replaced without a yes. */
async function checkFree(isForced: boolean, canAsk: boolean): Promise<void> {
  const { findConfigFile } = await import("../../config/load.ts");
  const there = findConfigFile(process.cwd());
  if (there === undefined) return;
  if (!existsSync(FILE)) throw usageError(`${toOneLine(there)} is the config of this folder: edit that one.`);
  if (isForced || (canAsk && (await confirm(`${FILE} is there already. Replace it?`)))) return;
  throw usageError(`${FILE} is there already, and nothing was changed. To replace it: tutti init --force`);
}

interface Asking {
  yes: boolean;
  isPerson: boolean;
  say: (text: string) => void;
}

/** What costs nothing needs no yes. */
async function isAgreed({ pool }: Survey, { yes, isPerson, say }: Asking): Promise<boolean> {
  const { boundCheckUsd } = await import("./survey.ts");
  const most = boundCheckUsd(pool);
  const price =
    most === 0 ? "free" : most === undefined ? "its price is unknown" : `at most ${toMoney(most)} in all`;
  say(`One tiny question to each of them shows whether it replies (${price}).`);
  if (yes || most === 0) return true;
  if (isPerson) return confirm("Ask them?");
  say("Not asked, since nobody said yes: tutti init --yes");
  return false;
}

function tellChecks({ checks = [] }: Survey, style: Style, say: (text: string) => void): void {
  for (const { id, ok, durationMs, costUsd, error } of checks) {
    const mark = ok ? style.green("✓") : style.red("✗");
    const told = ok
      ? `${toDelay(durationMs)}, ${toMoney(costUsd)}`
      : `left out: ${error?.message ?? "no reply"}`;
    const [first = "", ...more] = wrap(`${toOneLine(id)}  ${toOneLine(told)}`, columnsOf(process.stderr) - 5);
    say(`  ${mark} ${[first, ...more].join("\n    ")}`);
  }
}

function toReasons({ leftOut }: Survey): string {
  return leftOut.map(({ id, detail }) => `${id}: ${detail}`).join(". ");
}

/** Parsed before it is written, so that what is written can be read; trusted, since whoever ran this wanted it. */
async function write(
  survey: Survey,
  conductor: { id: string; reason: string },
  calibrate: CalibrationOffer,
): Promise<string> {
  const [{ toConfigText }, { parseConfig }, { parse }, { writeFileSafely }, { inspectConfig }, trust] =
    await Promise.all([
      import("./config-text.ts"),
      import("../../config/problems.ts"),
      import("yaml"),
      import("../../files/write-safely.ts"),
      import("../../config/load.ts"),
      import("../../config/trust/trusted-files.ts"),
    ]);
  const date = new Date().toISOString().slice(0, 10);
  const text = toConfigText({ ...survey, conductor, calibrate: calibrate.command, date });
  parseConfig(parse(text), { name: FILE });
  await writeFileSafely(FILE, Buffer.from(text));
  const { found } = await inspectConfig(FILE, process.env);
  if (found.reasons.length > 0 && trust.findTrustProblem(found.path, process.env) === undefined)
    await trust.addTrusted(found, process.env);
  return FILE;
}

function toOffer({ tasks, usd, mostUsd }: CalibrationOffer): string {
  const price =
    usd === undefined
      ? "at an unknown price"
      : mostUsd === 0
        ? "free"
        : `about ${toMoney(usd)}, at most ${toMoney(mostUsd)}`;
  return `Workers are then chosen by what they can do, not by price (${tasks} small tasks each, ${price})`;
}

async function offer(
  survey: Survey,
  calibrate: CalibrationOffer,
  say: (text: string) => void,
): Promise<void> {
  if (!(await confirm(`Measure them now? ${toOffer(calibrate)}.`))) return say(`Later: ${calibrate.command}`);
  const [{ calibratePool }, { printCalibration }] = await Promise.all([
    import("../pool/calibrate.ts"),
    import("../pool/calibrate-print.ts"),
  ]);
  const resolved = { ...survey, warnings: [], workers: [] };
  const result = await calibratePool(resolved, { yes: true, budgetUsd: calibrate.mostUsd || undefined });
  if (result) printCalibration(result, process);
}
