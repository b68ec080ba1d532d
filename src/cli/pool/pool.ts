// `tutti pool`: who can be asked, what is known of them, (`check`) whether they reply, and (`calibrate`)
// what they can.

import type { Command } from "commander";
import { toCount, toDelay, toMoney, toPercent, toPrices } from "../../base/format.ts";
import type { LiveRatings } from "../../calibration/ratings/live-ratings.ts";
import type { Environment } from "../../config/home.ts";
import type { ResolvedPool } from "../../config/pool.ts";
import type { TuttiConfig } from "../../config/schema.ts";
import { isSimulatedPool } from "../../worker/kinds.ts";
import type { JudgeCounts, PoolMember, Topic, WorkerKind } from "../../worker/types.ts";
import { unknownVerb } from "../options.ts";
import { type PostgresFlag, withAddress } from "../postgres-flag.ts";
import { printJson, printTable } from "../terminal/print.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { columnsOf, createStyle } from "../terminal/style.ts";
import type { Column } from "../terminal/table.ts";
import { wrap } from "../terminal/text-width.ts";
import { type CalibrateFlags, defineCalibrate } from "./calibrate.ts";
import type { Check } from "./check.ts";

const MOST_TOPICS = 3;

interface PoolFlags {
  json?: boolean;
  postgres?: PostgresFlag;
  pool?: string;
  config?: string;
}

export function define(command: Command): void {
  addFlags(command)
    .enablePositionalOptions()
    .allowExcessArguments()
    .addHelpText(
      "after",
      "\nExamples:\n  $ tutti pool\n  $ tutti pool check --pool rehearsal\n  $ tutti pool calibrate --pool rehearsal",
    )
    .action(list);
  addFlags(command.command("check"))
    .description("ask each worker a tiny question and tell who replies, how fast and at what cost")
    .addHelpText(
      "after",
      "\nExample:\n  $ tutti pool check --json\n\nExit code 1 when any of them fails. It costs a few tokens for each worker.",
    )
    .action(check);
  addFlags(defineCalibrate(command.command("calibrate"))).action(calibrate);
}

function addFlags(command: Command): Command {
  return command
    .option("--pool <name|ids>", '"rehearsal", a pool of the config, or ids of workers separated by commas')
    .option("--config <file>", "the config file, instead of tutti.config.{ts,js,yaml,json}")
    .option(
      "--postgres [url]",
      "reads and keeps profiles where gateways on this Postgres do; without an address that of TUTTI_POSTGRES_URL",
    )
    .option("--json", "as JSON on standard output");
}

async function resolve(
  command: Command,
): Promise<{ resolved: ResolvedPool; config: TuttiConfig; env: Environment; isJson: boolean }> {
  const { pool: selector, config: file, postgres, json = false } = command.optsWithGlobals<PoolFlags>();
  const env = withAddress(process.env, postgres);
  const [{ openConfig }, { resolvePool }] = await Promise.all([
    import("../open-config.ts"),
    import("../../config/pool.ts"),
  ]);
  const { config: read } = await openConfig({ file });
  const config = postgres === undefined ? read : { ...read, store: "postgres" };
  const resolved = await withRatings(config, env, (ratings) =>
    resolvePool(config, { env, selector, ratings }),
  );
  // On standard error also with --json: nobody may take the rehearsal for something real.
  if (resolved.notice) {
    const style = createStyle(process.stderr, process.env);
    const lines = wrap(resolved.notice, columnsOf(process.stderr) - 1).map((line) => style.yellow(line));
    process.stderr.write(`${lines.join("\n")}\n\n`);
  }
  return { resolved, config, env, isJson: json };
}

/** What ratings say, where the config wants to learn from them. */
async function withRatings<T>(
  { feedback, store: wanted }: TuttiConfig,
  env: Environment,
  work: (ratings?: LiveRatings) => Promise<T>,
): Promise<T> {
  if (!feedback.learn) return work();
  const [{ createLiveRatings }, { openStore }, { toStorePath }] = await Promise.all([
    import("../../calibration/ratings/live-ratings.ts"),
    import("../../store/open.ts"),
    import("../../config/home.ts"),
  ]);
  const opening = openStore(toStorePath(wanted, env));
  // Heard again by whoever reads the ratings, who says so.
  opening.catch(() => {});
  const notice = (text: string) => void process.stderr.write(`${toOneLine(text)}\n`);
  try {
    return await work(createLiveRatings(() => opening, { ...feedback, notice }));
  } finally {
    await opening.then(
      (store) => store.close(),
      () => {},
    );
  }
}

async function list(_flags: PoolFlags, command: Command): Promise<void> {
  if (command.args.length > 0) throw unknownVerb("tutti pool", command.args[0]!, ["check", "calibrate"]);
  const { resolved, isJson } = await resolve(command);
  const { workers } = resolved;
  const pool = resolved.rated ?? resolved.pool;
  const chosen = findConductor({ ...resolved, pool }, command.optsWithGlobals<PoolFlags>().config);
  const entries = [
    ...pool.members.map((member, number) => ({ number, ...toEntry(member, resolved) })),
    // Known but not to be asked: they have no number, and the reason says what to do.
    ...workers
      .filter(({ id }) => !pool.members.some(({ worker }) => worker.id === id))
      .map(({ id, state, detail }) => ({ number: undefined, id, state, source: detail ?? "" }) as PoolRow),
  ];
  const { conductor, reason } = await chosen;
  if (isJson)
    return printJson(
      entries.map((entry) => (entry.id === conductor ? { ...entry, conducts: reason } : entry)),
    );
  const style = createStyle(process.stdout, process.env);
  const columns: Column[] = [
    { title: "#", align: "right" },
    { title: "WORKER", min: 12, style: (text, row) => style.worker(entries[row]!.number ?? 0, text) },
    {
      title: "STATE",
      style: (text, row) => (entries[row]!.state === "ready" ? style.green : style.yellow)(text),
    },
    { title: "$ PER M IN / OUT", min: 10 },
    { title: "SUCCESS", align: "right" },
    { title: "BEST TOPICS", min: 9, isOptional: true },
    { title: "DELAY", align: "right" },
    ...(entries.some(({ profile }) => profile?.judging) ? [{ title: "AS A JUDGE", min: 10 }] : []),
    { title: "SOURCE", min: 10, isOptional: true, style: style.dim },
  ];
  const hasJudges = columns.some(({ title }) => title === "AS A JUDGE");
  printTable(
    columns,
    entries.map((entry) => toRow(entry, hasJudges)),
    style,
  );
  const said = `Conductor: ${toOneLine(conductor)} (${toOneLine(reason)})`;
  process.stdout.write(`\n${wrap(said, columnsOf(process.stdout) - 1).join("\n")}\n`);
}

/** Who would plan the next question, by the same function that decides it then. */
async function findConductor(
  { pool, kind }: ResolvedPool,
  file: string | undefined,
): Promise<{ conductor: string; reason: string }> {
  const [{ openConfig }, { chooseConductor }, { toConductorName }] = await Promise.all([
    import("../open-config.ts"),
    import("../../tutti/conductors.ts"),
    import("../../store/conductor-name.ts"),
  ]);
  const { config } = await openConfig({ file });
  const { showNames, rounds } = config;
  const options = { kind, showNames, rounds, env: process.env, isConfigured: true };
  const { conductor, reason } = await chooseConductor(config.conductor, pool, options);
  const { identity } = conductor;
  if (identity.kind === "prompted") return { conductor: identity.planner, reason };
  return { conductor: identity.kind === "single" ? identity.worker : toConductorName(identity), reason };
}

interface PoolRow {
  number: number | undefined;
  id: string;
  kind?: WorkerKind;
  state: string;
  price?: PoolMember["price"];
  profile?: PoolMember["profile"];
  maxOutputTokens?: number;
  source: string;
}

function toEntry(
  { worker, price, profile, maxOutputTokens, source = "" }: PoolMember,
  { workers }: ResolvedPool,
) {
  const state = workers.find(({ id }) => id === worker.id)?.state ?? "ready";
  return { id: worker.id, kind: worker.kind, state, price, profile, maxOutputTokens, source };
}

const KIND_WORDS: Record<WorkerKind, { price: string; source: string }> = {
  model: { price: "", source: "" },
  tool: { price: "no call", source: "a vote over replies" },
  verifier: { price: "no call", source: "tests, a schema or arithmetic" },
  conductor: { price: "as its team", source: "the Conductor itself" },
};

function toRow({ number, id, kind, state, price, profile, source }: PoolRow, hasJudges: boolean): string[] {
  const best = Object.entries(profile?.topics ?? {}) as [Topic, number][];
  const topics = best
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_TOPICS)
    .map(([topic, success]) => `${topic} ${Math.round(success * 100)}`);
  return [
    number === undefined ? "" : String(number),
    toOneLine(id),
    state,
    number === undefined ? "" : KIND_WORDS[kind ?? "model"].price || toPrices(price),
    profile ? toPercent(profile.success) : "",
    topics.join(", "),
    profile?.delayMs === undefined ? "" : toDelay(profile.delayMs),
    ...(hasJudges ? [toJudging(profile?.judging)] : []),
    toOneLine(toSource(source || KIND_WORDS[kind ?? "model"].source, profile?.ratings)),
  ];
}

/** "12 ratings; OPENAI_API_KEY": what is new first, since narrow terminals cut the end. */
function toSource(source: string, ratings = 0): string {
  return ratings === 0 ? source : `${toCount(ratings, "rating")}; ${source}`;
}

/** "accepts 2/30 wrong, refuses 1/30 right". */
function toJudging(counts: JudgeCounts | undefined): string {
  if (!counts) return "";
  const { right, refusedRight, wrong, acceptedWrong } = counts;
  return `accepts ${acceptedWrong}/${wrong} wrong, refuses ${refusedRight}/${right} right`;
}

async function check(_flags: PoolFlags, command: Command): Promise<void> {
  const { resolved, isJson } = await resolve(command);
  const { checkPool } = await import("./check.ts");
  const checks = await checkPool(resolved.pool);
  const failed = checks.filter(({ ok }) => !ok).length;
  process.exitCode = failed > 0 ? 1 : 0;
  if (isJson) return printJson(checks);
  const style = createStyle(process.stdout, process.env);
  const simulated = isSimulatedPool(resolved.pool);
  const columns: Column[] = [
    { title: "WORKER", min: 12 },
    { title: "REPLY", style: (text, row) => (checks[row]!.ok ? style.green : style.red)(text) },
    { title: "DELAY", align: "right" },
    { title: "FIRST TOKEN", align: "right" },
    { title: "COST", align: "right" },
  ];
  const toCheckRow = ({ id, ok, durationMs, firstTokenMs, costUsd }: Check) => [
    toOneLine(id),
    ok ? "✓ ok" : "✗ failed",
    toDelay(durationMs),
    firstTokenMs === undefined ? "" : toDelay(firstTokenMs),
    ok ? toMoney(costUsd, simulated) : "",
  ];
  printTable(columns, checks.map(toCheckRow), style);
  // Below the table, whole: what went wrong must not be cut to the width of a column.
  for (const { error } of checks)
    if (error)
      process.stdout.write(`\n${wrap(toOneLine(error.message), columnsOf(process.stdout) - 1).join("\n  ")}`);
  if (failed > 0) process.stdout.write("\n");
  if (failed > 0)
    process.stderr.write(`${style.red(`${toCount(failed, "worker")} of ${checks.length} failed.`)}\n`);
}

async function calibrate(_flags: CalibrateFlags, command: Command): Promise<void> {
  const { resolved, config, env, isJson } = await resolve(command);
  const [{ calibratePool }, { printCalibration, toCalibrateJson }, { exitCodeOf }, { describeJudge }] =
    await Promise.all([
      import("./calibrate.ts"),
      import("./calibrate-print.ts"),
      import("../record/record.ts"),
      import("../../recording/measure-judge.ts"),
    ]);
  for (const text of resolved.warnings) process.stderr.write(`${toOneLine(text)}\n`);
  const result = await calibratePool(resolved, command.optsWithGlobals<CalibrateFlags>(), config, env);
  if (!result) return;
  if (isJson)
    printJson(result.judge ? { ...toCalibrateJson(result), judge: result.judge } : toCalibrateJson(result));
  else {
    printCalibration(result, process);
    if (result.judge) process.stdout.write(`\n${toOneLine(describeJudge(result.judge))}\n`);
  }
  process.exitCode = exitCodeOf(result.summary);
}
