// `tutti rl serve`: the environment, until it is told to end. People read standard error, machines the JSON lines
// on standard output.

import { basename, join } from "node:path";
import { usageError } from "../../base/errors.ts";
import { toMoney } from "../../base/format.ts";
import type { TrainingEngine } from "../../environment/types.ts";
import { isLoopback } from "../../http/same-site.ts";
import { toListenError, untilEnded } from "../serve.ts";
import { printJson } from "../terminal/print.ts";
import { createStyle } from "../terminal/style.ts";
import { createRlProgress } from "./progress.ts";
import { type BudgetFlags, checkWorldFlags, openRolloutWorld, tell, type WorldFlags } from "./world.ts";

export interface RlServeFlags extends WorldFlags, BudgetFlags {
  port: number;
  host: string;
  allowHost?: string[];
  run?: string;
  spentReward: number;
  failureReward: number;
  concurrency: number;
  deadlinesMs: Partial<Record<TrainingEngine, number>>;
  patienceS: number;
  rollouts: number;
  log: "info" | "warn" | "error" | "off";
  json?: boolean;
}

export async function serveRl(flags: RlServeFlags): Promise<void> {
  checkWorldFlags(flags);
  if (flags.tasks !== undefined && flags.budgetUsd === undefined)
    throw usageError(
      "--tasks asks a live pool, which costs: say how much it may in all, with --budget-usd 100 for example",
    );
  const [{ startEnvironment }, { createLog }, { toTuttiHome }] = await Promise.all([
    import("../../environment/server.ts"),
    import("../../http/log.ts"),
    import("../../config/home.ts"),
  ]);
  // A folder for each set: what was paid for another one must not count against this budget.
  const name =
    flags.tasks === undefined ? "rehearsal" : basename(flags.tasks).replace(/\..*$/, "") || "tasks";
  const folder = flags.run ?? join(toTuttiHome(process.env), "rl", name);
  const { finder, budget, warm, close } = await openRolloutWorld(flags, folder);
  const style = createStyle(process.stderr, process.env);
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  let progress: ReturnType<typeof createRlProgress> | undefined;
  const environment = await startEnvironment({
    finder,
    journal: join(folder, "rollouts.jsonl"),
    ...{ port: flags.port, host: flags.host, concurrency: flags.concurrency },
    allowedHosts: flags.allowHost,
    deadlinesMs: flags.deadlinesMs,
    failureRewards: { budget: flags.spentReward, other: flags.failureReward },
    patienceMs: flags.patienceS * 1000,
    log: createLog({
      write(line) {
        progress?.clear();
        process.stdout.write(line);
      },
      level: flags.log,
    }),
  }).catch(async (error: unknown) => {
    await close();
    throw toListenError(error, flags, "tutti rl serve");
  });
  const { url, metrics } = environment;
  if (flags.json) printJson({ url, run: folder });
  say(`${style.bold("Tutti")} gives rewards on ${url} · ${finder.name}`);
  say(`  OpenRLHF   --reward.remote_url ${url}/rl/openrlhf`);
  say(`  slime      --rm-type remote_rm --rm-url ${url}/rl/slime`);
  say(`  verl, TRL  TUTTI_RL_URL=${url} and conductor_reward.py`);
  say(`  NeMo Gym   ${url} is its resources server`);
  say(
    style.dim(`  Performed and paid for is kept in ${folder}. Ctrl-C ends it; what runs is finished first.`),
  );
  if (!isLoopback(flags.host))
    tell([
      `Engines send no key: whoever reaches ${flags.host}:${new URL(url).port} can have rollouts performed${budget ? `, up to ${toMoney(budget.budgetUsd)}` : ""}.`,
    ]);
  progress = createRlProgress(process.stderr, {
    metrics,
    planned: flags.rollouts,
    isSimulated: finder.isSimulated,
    budget,
  });
  // After it listens: engines that are refused give up within seconds, those that wait do not.
  warm?.();
  try {
    await untilEnded(
      () => progress?.end(),
      say,
      () => environment.close(),
    );
  } finally {
    await close();
  }
}
