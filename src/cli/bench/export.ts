// `tutti bench export`: a leaderboard's submission file, from the choices of one router.

import { basename } from "node:path";
import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { toCount } from "../../base/format.ts";
import type { OneCallRouter } from "../../bench/protocol/types.ts";
import { printJson } from "../terminal/print.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { splitIds } from "./input.ts";
import { write } from "./print.ts";
import { addProtocolFlags, openProtocol, type ProtocolFlags } from "./protocol.ts";

/** Queries of the whole set. */
const FULL = 8_400;
/** And of its list of rewordings. */
const FULL_REWORDINGS = 420;

export function defineExport(command: Command): void {
  // The verb above has most of these too, with its defaults: here they have none, so that what was written wins.
  addProtocolFlags(command)
    .option("--recording <dir>", "the recording with the queries, the workers and their outcomes")
    .option("--conductor <id>", "the router: one name")
    .option("--fit <dir>", "the recording that the router is fitted on")
    .option("--fit-set <name>", "only this set of the recording that --fit names")
    .option("--out <file>", "where the predictions go: <router>.json")
    .option("--json", "what was written, as JSON on standard output")
    .description("the submission file of a leaderboard: the model that a router chooses for every query")
    .option(
      "--queries <file>",
      "the leaderboard's own list of queries (router_data.json), instead of those of the recording",
    )
    .option(
      "--rewordings <file>",
      "the leaderboard's own list of rewordings (router_robustness.json), instead of those of the recording",
    )
    .addHelpText(
      "after",
      `
Examples:
  $ tutti bench export --protocol routerarena --recording recorded/routerarena --conductor single:gemini-2.0-flash-001 --out tutti.json
  $ tutti bench export --protocol routerarena --recording recorded/routerarena --fit recorded/mine --conductor router --queries router_data.json --rewordings router_robustness.json --out tutti.json

Beside FILE it writes FILE-config.json (the models) and, where there are rewordings, FILE-robustness.json.`,
    );
}

export async function exportSubmission(_flags: unknown, command: Command): Promise<void> {
  const flags = { ...command.parent!.opts(), ...command.opts() } as ProtocolFlags;
  const { protocol: name, out, conductor, queries, rewordings } = flags;
  if (name === undefined) throw usageError("export needs --protocol routerarena");
  const { protocol, material, options } = await openProtocol(flags);
  if (protocol.id !== "routerarena")
    throw usageError(`${protocol.id} has no leaderboard to submit to: export is for routerarena`);
  if (out === undefined || !out.endsWith(".json"))
    throw usageError(
      "export needs --out FILE that ends in .json: the name of the router, such as tutti.json",
    );
  const names = splitIds(conductor);
  if (names.length !== 1 || names[0] === "all")
    throw usageError("export needs --conductor with one router, such as router");
  const [{ chooseRouters }, { readQueries, toPredictions, toSubmissionConfig }, { writeFileSafely }] =
    await Promise.all([
      import("../../bench/protocol/protocols.ts"),
      import("../../bench/protocol/submission.ts"),
      import("../../files/write-safely.ts"),
    ]);
  const asked = queries === undefined ? undefined : await readQueries(queries);
  const askedAgain = rewordings === undefined ? undefined : await readQueries(rewordings);
  // The whole lists are tested too: what is fitted on must not hold them.
  const prepared = await protocol.prepare(material, {
    ...options,
    openFit:
      options.openFit &&
      ((tasks, workers) => options.openFit!([...tasks, ...(asked ?? []), ...(askedAgain ?? [])], workers)),
  });
  const router = onlyRouter(chooseRouters(protocol, prepared, names).routers);
  refuseUnread(router, asked !== undefined || askedAgain !== undefined);
  const tasks = asked ?? prepared.tasks;
  const stem = out.slice(0, -".json".length);
  const files: [string, unknown][] = [
    [out, toPredictions(tasks, prepared.choose!(router, tasks))],
    [`${stem}-config.json`, toSubmissionConfig(basename(stem), prepared.workers)],
  ];
  const byId = new Map(material.recording.sets.flatMap((set) => set.tasks).map((task) => [task.id, task]));
  const reworded =
    askedAgain ??
    material.rewordings.flatMap(({ task, prompt }) =>
      byId.has(task) ? [{ ...byId.get(task)!, prompt }] : [],
    );
  if (reworded.length > 0)
    files.push([`${stem}-robustness.json`, toPredictions(reworded, prepared.choose!(router, reworded))]);
  for (const [file, value] of files)
    await writeFileSafely(file, Buffer.from(`${JSON.stringify(value, null, 2)}\n`));
  const written = files.map(([file]) => file);
  if (flags.json) return printJson({ files: written, queries: tasks.length, rewordings: reworded.length });
  write([
    `${toCount(tasks.length, "query", "queries")} routed by ${router.id}: ${written.map(toOneLine).join(", ")}`,
    `In a clone of RouterArena: ${basename(out)} and ${basename(stem)}-robustness.json go into router_inference/predictions/, ${basename(stem)}-config.json into router_inference/config/${basename(out)}.`,
    ...(tasks.length === FULL
      ? []
      : [`The leaderboard wants all ${FULL.toLocaleString("en")} queries: --queries router_data.json.`]),
    ...(reworded.length === FULL_REWORDINGS
      ? []
      : [`It wants all ${FULL_REWORDINGS} rewordings: --rewordings router_robustness.json.`]),
  ]);
}

function onlyRouter(routers: readonly OneCallRouter[]): OneCallRouter {
  if (routers.length === 1) return routers[0]!;
  throw usageError(`export needs one router, not ${routers.length}`);
}

function refuseUnread({ id, reads }: OneCallRouter, hasQueries: boolean): void {
  if (reads === "outcome") throw usageError(`"${id}" is told who is right: it is no router to submit`);
  if (reads === "label" && hasQueries)
    throw usageError(`"${id}" needs the true label of every query, and a list of queries has none`);
}
