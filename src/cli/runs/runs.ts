// `tutti runs`: what was asked and what came of it, from the journal.

import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { shorten, toCount } from "../../base/format.ts";
import { toShadowId } from "../../store/shadow.ts";
import type { RunSummary, Store } from "../../store/types.ts";
import type { Tutti } from "../../tutti/tutti.ts";
import { type CommonFlags, checkRequired, oneOf, unknownVerb, wholeNumber } from "../options.ts";
import type { PostgresFlag } from "../postgres-flag.ts";
import { toJson } from "../terminal/sanitise.ts";
import { columnsOf, createStyle } from "../terminal/style.ts";
import { defineExport, exportRuns } from "./export.ts";
import { findRun, toRunTable } from "./find-runs.ts";

const STATES = ["ended", "running", "interrupted"] as const;
const VERBS = ["show", "resume", "rate", "shadow", "export", "delete", "prune"];
const POSTGRES = [
  "--postgres [url]",
  "the runs of the gateways on this Postgres; without an address the one in TUTTI_POSTGRES_URL",
] as const;
const DAY_MS = 24 * 60 * 60 * 1000;

interface RunsFlags extends CommonFlags {
  quiet?: boolean;
  postgres?: PostgresFlag;
}

export function define(command: Command): void {
  command
    .enablePositionalOptions()
    .allowExcessArguments()
    .option("--limit <n>", "how many, newest first", wholeNumber("--limit", 1, 10_000), 20)
    .option("--state <state>", "only runs that are ended, running or interrupted", oneOf("--state", STATES))
    .option("--search <text>", "only runs whose question or answer contains this")
    .option("--shadows", "with those that the gateway asked again, unseen")
    .option("--config <file>", "the config file, which may name another journal")
    .option(...POSTGRES)
    .option("--json", "as JSON on standard output")
    .addHelpText(
      "after",
      '\nExamples:\n  $ tutti runs --search "prime" --limit 5\n  $ tutti runs show r_m3x\n  $ tutti runs --state interrupted --postgres\n\nAn id may be shortened as long as only one run begins with it.',
    )
    .action(list);
  verb(command, "show", "tell a run step by step, with its workflow drawn")
    .argument("<id>", "the run, or the beginning of its id")
    .option("--messages", "with the exact messages that each worker received")
    .option("--verbose", "also what the trained Conductor weighed before it planned")
    .addHelpText("after", "\nExample:\n  $ tutti runs show r_m3x --messages | less -R")
    .action(show);
  verb(command, "resume", "go on with a run that was stopped or whose process died")
    .argument("<id>", "the run, or the beginning of its id")
    .option("--quiet", "only the answer, and what went wrong")
    .addHelpText("after", "\nExample:\n  $ tutti runs resume r_m3x")
    .action(resume);
  verb(command, "rate", "say how good a run was")
    .argument("<id>", "the run, or the beginning of its id")
    .argument("<score>", "up, down, or a number from 0 (useless) to 1 (right)")
    .option("--label <word>", "a word of your own, such as wrong-file")
    .option("--comment <text>", "what was good or wrong")
    .addHelpText("after", '\nExample:\n  $ tutti runs rate r_m3x down --comment "The tests were not run"')
    .action(rate);
  verb(
    command,
    "shadow",
    "compare the gateway's shadow runs with what clients were answered (docs/gateway.md)",
  )
    .addHelpText("after", "\nExample:\n  $ tutti runs shadow --json")
    .action(shadow);

  const exporting = command
    .command("export")
    .description("write runs for other programs, as JSON lines or Parquet")
    .option("--config <file>", "the config file, which may name another journal")
    .option(...POSTGRES);
  defineExport(exporting);
  exporting.action((flags, own: Command) =>
    exportRuns(flags, (work) => withTutti(own, (_, store) => work(store))),
  );

  verb(command, "delete", "delete runs from the journal")
    .argument("<id...>", "the runs, or the beginnings of their ids")
    .addHelpText("after", "\nExample:\n  $ tutti runs delete r_m3x r_m3y")
    .action(remove);
  verb(command, "prune", "delete all runs older than some days")
    .hook("preAction", checkRequired("--days"))
    .option("--days <n>", "keep what is younger than this", wholeNumber("--days", 0, 100_000))
    .addHelpText("after", "\nExample:\n  $ tutti runs prune --days 30")
    .action(prune);
}

function verb(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option("--config <file>", "the config file, which may name another journal")
    .option(...POSTGRES)
    .option("--json", "as JSON on standard output");
}

async function withTutti<T>(
  command: Command,
  work: (tutti: Tutti, store: Store) => Promise<T>,
  onNotice?: (text: string) => void,
): Promise<T> {
  const { config, quiet: isQuiet, postgres } = command.optsWithGlobals<RunsFlags>();
  const { openTutti } = await import("../open-tutti.ts");
  const tutti = await openTutti({ file: config, isQuiet, onNotice, postgres, isOfThisMachine: true });
  try {
    return await work(tutti, await tutti.store());
  } finally {
    await tutti.close();
  }
}

/** JSON for programs, lines for people. */
function print(command: Command, value: unknown, lines: () => string[]): void {
  const { json } = command.optsWithGlobals<CommonFlags>();
  process.stdout.write(
    json
      ? `${toJson(value)}\n`
      : lines()
          .map((line) => `${line}\n`)
          .join(""),
  );
}

async function list(
  flags: { limit: number; state?: RunSummary["state"]; search?: string; shadows?: boolean },
  command: Command,
): Promise<void> {
  if (command.args.length > 0) throw unknownVerb("tutti runs", command.args[0]!, VERBS);
  const { limit, state, search, shadows } = flags;
  const filter = { limit, state, text: search, shadows };
  const runs = await withTutti(command, (_, store) => store.listRuns(filter));
  print(command, runs, () => {
    if (runs.length === 0)
      return [state || search !== undefined ? "No run matches." : 'No runs yet. Begin with: tutti ask "…"'];
    return toRunTable(runs, {
      style: createStyle(process.stdout, process.env),
      width: columnsOf(process.stdout) - 1,
      now: Date.now(),
    });
  });
}

async function show(
  text: string,
  { messages = false, verbose = false }: { messages?: boolean; verbose?: boolean },
  command: Command,
): Promise<void> {
  const [{ fold }, { toRun }, { toTrace }] = await Promise.all([
    import("../../perform/state.ts"),
    import("../../perform/run.ts"),
    import("./show-run.ts"),
  ]);
  await withTutti(command, async (_, store) => {
    const id = await findRun(store, text);
    const nested = new Map<string, NonNullable<ReturnType<typeof fold>>>();
    const load = async (runId: string) => {
      const state = fold(await store.loadRun(runId));
      for (const { nestedRunId } of state?.rounds.flatMap((round) => round.steps) ?? []) {
        if (nestedRunId === undefined || nested.has(nestedRunId)) continue;
        const child = await load(nestedRunId);
        if (child) nested.set(nestedRunId, child);
      }
      return state;
    };
    const state = (await load(id))!;
    const value = {
      ...toRun(state),
      ...(nested.size > 0 && { nested: [...nested.values()].map((child) => toRun(child)) }),
    };
    print(command, value, () =>
      toTrace(state, {
        style: createStyle(process.stdout, process.env),
        columns: columnsOf(process.stdout),
        now: Date.now(),
        withMessages: messages,
        isVerbose: verbose,
        nested,
      }),
    );
  });
}

async function resume(text: string, { quiet = false }: { quiet?: boolean }, command: Command): Promise<void> {
  const { json: isJson = false } = command.optsWithGlobals<CommonFlags>();
  const [{ LiveView }, { performLive }] = await Promise.all([
    import("../terminal/live-view.ts"),
    import("../ask/perform-live.ts"),
  ]);
  const { stdout, stderr, env } = process;
  const view = new LiveView({ stdout, stderr, env, isQuiet: quiet || isJson });
  const work = async (tutti: Tutti, store: Store) => {
    const id = await findRun(store, text);
    const journal = await store.loadRun(id);
    const start = journal.find((event) => event.type === "run-start");
    const isReviewed = start?.settings.review ?? false;
    process.exitCode = await performLive(view, { isJson, isReviewed }, (stage) => ({
      stream: tutti.resume(id, stage),
      journal,
    }));
    // What a client of the gateway did not want kept goes when the run is over, whoever performed it.
    const { origin, stopReason = "tool-calls" } = (await tutti.load(id)) ?? {};
    if (origin?.isPrivate && stopReason !== "tool-calls") await store.stripRun(id);
  };
  await withTutti(command, work, (notice) => view.notice(notice));
}

async function rate(
  text: string,
  said: string,
  { label, comment }: { label?: string; comment?: string },
  command: Command,
): Promise<void> {
  const { addFeedback } = await import("../../perform/feedback.ts");
  const score = { up: 1, down: 0 }[said] ?? (said.trim() === "" ? Number.NaN : Number(said));
  if (Number.isNaN(score))
    throw usageError(`A score is up, down or a number from 0 to 1, not "${shorten(said)}".`);
  const run = await withTutti(command, async (_, store) =>
    addFeedback(store, await findRun(store, text), { score, label, comment }),
  );
  print(command, { run: run.id, feedback: run.feedback }, () => [`Rated ${run.id}: ${score}.`]);
}

async function shadow(_flags: object, command: Command): Promise<void> {
  const [{ compareShadows }, { toShadowLines }] = await Promise.all([
    import("../../gateway/shadow/compare.ts"),
    import("./shadow-lines.ts"),
  ]);
  const report = await withTutti(command, (_, store) => compareShadows(store));
  print(command, report, () => toShadowLines(report));
}

async function remove(texts: string[], _flags: object, command: Command): Promise<void> {
  const deleted = await withTutti(command, async (_, store) => {
    // All are found before the first is deleted: a typing error must not leave half of the work done.
    const ids = new Set<string>();
    for (const text of texts) ids.add(await findRun(store, text));
    for (const id of ids) {
      await store.deleteRun(id);
      // What the gateway asked again of it, unseen, holds the same words.
      await store.deleteRun(toShadowId(id));
    }
    return [...ids];
  });
  print(command, { deleted }, () => deleted.map((id) => `Deleted ${id}.`));
}

async function prune({ days }: { days: number }, command: Command): Promise<void> {
  const deleted = await withTutti(command, (_, store) => store.prune(Date.now() - days * DAY_MS));
  print(command, { deleted }, () => [
    `Deleted ${toCount(deleted, "run")} older than ${toCount(days, "day")}.`,
  ]);
}
