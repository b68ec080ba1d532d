// `tutti keys`: who may use the gateway, whom they may ask there, and how much they may spend. A secret goes
// to standard output alone on its line, everything else to standard error: KEY=$(tutti keys create --name me).

import type { Command } from "commander";
import { isTuttiError, usageError } from "../../base/errors.ts";
import { toClock, toCount, toMoney } from "../../base/format.ts";
import { startOfWindow, WINDOW_WORDS } from "../../gateway/access/budget-window.ts";
import { type GatewayKey, toKeyState, toShownKey } from "../../gateway/access/keys.ts";
import { unknownVerb } from "../options.ts";
import { printJson, printLines, printTable } from "../terminal/print.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { createStyle } from "../terminal/style.ts";
import type { Column } from "../terminal/table.ts";
import { addCreateFlags, type CreateFlags, checkNames, toSettings } from "./input.ts";
import { type KeyFlags, toEnv, withKeys } from "./open-keys.ts";

const VERBS = ["create", "list", "revoke", "import"];

export function define(command: Command): void {
  addFlags(command)
    .enablePositionalOptions()
    .allowExcessArguments()
    .addHelpText(
      "after",
      "\nExamples:\n  $ tutti keys create --name ci --budget-usd 5 --window day\n  $ tutti keys\n  $ tutti keys revoke ci" +
        "\n\nA running gateway follows within about a second.",
    )
    .action(list);
  addCreateFlags(verb(command, "create"))
    .description("make a key and show its secret, once")
    .addHelpText(
      "after",
      "\nExamples:\n  $ KEY=$(tutti keys create --name me)\n" +
        "  $ tutti keys create --name ci --without deepseek --budget-usd 20 --window month --expires 90d",
    )
    .action(create);
  verb(command, "list")
    .description("list the keys, what they may do and what they have spent")
    .addHelpText("after", "\nExample:\n  $ tutti keys list --json")
    .action(list);
  verb(command, "revoke")
    .description("refuse a key from now on")
    .argument("<key>", "its id, its name, or the beginning of one; or the secret, where that has leaked")
    .addHelpText("after", "\nExample:\n  $ tutti keys revoke ci")
    .action(revoke);
  verb(command, "import")
    .description("take the keys of this machine's keys.json over into Postgres; their secrets stay good")
    .addHelpText("after", "\nExample:\n  $ tutti keys import --postgres")
    .action(importKeys);
}

/** A word too many is refused: whoever names two keys to revoke must not find one of them alive. */
function verb(parent: Command, name: string): Command {
  return addFlags(parent.command(name)).allowExcessArguments(false);
}

function addFlags(command: Command): Command {
  return command
    .option("--config <file>", "the config file, which may name another journal and workers of its own")
    .option(
      "--postgres [url]",
      "the keys of several gateways on one Postgres; without an address that of TUTTI_POSTGRES_URL",
    )
    .option("--json", "as JSON on standard output");
}

// ---- Verbs --------------------------------------------------------------------------------------

async function create(_flags: CreateFlags, command: Command): Promise<void> {
  const flags = command.optsWithGlobals<CreateFlags>();
  const settings = toSettings(flags);
  await checkNames([...(settings.only ?? []), ...(settings.without ?? [])], flags.config);
  const { key, secret } = await withKeys(flags, ({ ring }) => ring.create(settings));
  if (flags.json) return printJson({ ...toShownKey(key, Date.now()), secret });
  const style = createStyle(process.stderr, process.env);
  process.stderr.write(
    `Created the key "${toOneLine(key.name)}" (${key.id}). ${style.yellow("This is the only time it is shown:")}\n`,
  );
  process.stdout.write(`${secret}\n`);
}

async function revoke(text: string, _flags: KeyFlags, command: Command): Promise<void> {
  const flags = command.optsWithGlobals<KeyFlags>();
  const key = await withKeys(flags, ({ ring }) => ring.revoke(text));
  if (flags.json) return printJson(toShownKey(key, Date.now()));
  printLines([`Revoked the key "${toOneLine(key.name)}" (${key.id}).`]);
}

async function list(_flags: KeyFlags, command: Command): Promise<void> {
  const isBare = command.name() === "keys";
  if (isBare && command.args.length > 0) throw unknownVerb("tutti keys", command.args[0]!, VERBS);
  const flags = command.optsWithGlobals<KeyFlags>();
  const { json = false } = flags;
  const now = Date.now();
  const { keys, isShared } = await withKeys(flags, async ({ ring, table }) => ({
    keys: ring.list(),
    isShared: table !== undefined,
  }));
  const spent = keys.length > 0 ? await readSpent(keys, flags, isShared, now) : undefined;
  if (json) return printJson(keys.map((key, i) => ({ ...toShownKey(key, now), spent: spent?.[i] })));
  if (keys.length === 0) return printLines(["No keys yet. Make one with: tutti keys create --name NAME"]);
  printKeys(keys, spent, now);
}

async function importKeys(_flags: KeyFlags, command: Command): Promise<void> {
  const flags = command.optsWithGlobals<KeyFlags>();
  const taken = await withKeys(flags, async ({ table }) => {
    if (!table) throw usageError("Where to? Name the Postgres of the gateways: tutti keys import --postgres");
    const { takeOver } = await import("../../gateway/service/take-over-keys.ts");
    return takeOver(table, process.env);
  });
  const now = Date.now();
  if (flags.json) return printJson(taken.map((key) => toShownKey(key, now)));
  printLines([
    `Took ${taken.length} ${taken.length === 1 ? "key" : "keys"} over.`,
    ...taken.map(({ name, id }) => `  ${toOneLine(name)} (${id})`),
  ]);
}

/** One line a key: what it may do and what it has spent. */
function printKeys(keys: readonly GatewayKey[], spent: Spent[] | undefined, now: number): void {
  const style = createStyle(process.stdout, process.env);
  const states = keys.map((key) => toKeyState(key, now));
  const columns: Column[] = [
    { title: "NAME", min: 8, style: style.bold },
    { title: "KEY" },
    { title: "ENDS IN" },
    { title: "STATE", style: (text, row) => (states[row] === "active" ? style.green : style.yellow)(text) },
    { title: "SPENT", align: "right" },
    { title: "SAVED BY CACHES", align: "right", isOptional: true },
    { title: "LIMITS", min: 10 },
    { title: "MAY ASK", min: 10, isOptional: true },
    { title: "EXPIRES", isOptional: true },
  ];
  const rows = keys.map((key, i) => [
    toOneLine(key.name),
    key.id,
    `…${toOneLine(key.hint)}`,
    states[i]! + (key.isAdmin ? ", admin" : ""),
    spent ? toSpentText(spent[i]!) : "",
    spent && spent[i]!.cacheSavedUsd !== 0 ? toSavedText(spent[i]!) : "",
    toLimits(key),
    toOneLine(toMayAsk(key)),
    key.expiresAt === undefined ? "" : toClock(key.expiresAt).slice(0, 16),
  ]);
  printTable(columns, rows, style);
}

interface Spent {
  usd: number;
  simulatedUsd: number;
  /** What caches of providers saved beside `usd`: below 0 where writing into them took more. */
  cacheSavedUsd: number;
  /** Since when, in milliseconds since 1970. 0: of all time. */
  since: number;
}

/** In the window of each key's budget. Undefined where the journal cannot be opened: keys are listed all the same. */
async function readSpent(
  keys: readonly GatewayKey[],
  flags: KeyFlags,
  isShared: boolean,
  now: number,
): Promise<Spent[] | undefined> {
  const { config: file } = flags;
  try {
    const [{ openConfig }, { createTutti }] = await Promise.all([
      import("../open-config.ts"),
      import("../../tutti/tutti.ts"),
    ]);
    const { config } = await openConfig({ file });
    const store = isShared ? "postgres" : config.store;
    const tutti = createTutti({ ...config, store }, { env: toEnv(flags) });
    try {
      const store = await tutti.store();
      return await Promise.all(
        keys.map(async ({ id, budget }) => {
          const since = startOfWindow(budget?.window ?? "total", now);
          const rows = await store.sumSpending({ keyId: id, from: since });
          const sum = (isSimulated: boolean, name: "costUsd" | "cacheSavedUsd" = "costUsd") =>
            rows.reduce((usd, row) => usd + (row.isSimulated === isSimulated ? row[name] : 0), 0);
          const cacheSavedUsd = sum(false, "cacheSavedUsd");
          return { usd: sum(false), simulatedUsd: sum(true), cacheSavedUsd, since };
        }),
      );
    } finally {
      await tutti.close();
    }
  } catch (error) {
    const isTold =
      isTuttiError(error) && (error.code === "untrusted-config" || (file && error.code === "usage"));
    if (isTold) throw error;
    return undefined;
  }
}

// ---- As people read it --------------------------------------------------------------------------

function toSpentText({ usd, simulatedUsd }: Spent): string {
  if (simulatedUsd === 0) return toMoney(usd);
  return usd === 0 ? toMoney(simulatedUsd, true) : `${toMoney(usd)} + ${toMoney(simulatedUsd, true)}`;
}

function toSavedText({ cacheSavedUsd }: Spent): string {
  return `${cacheSavedUsd < 0 ? "-" : ""}${toMoney(Math.abs(cacheSavedUsd))}`;
}

function toLimits({ budget, requestsPerMinute, concurrency }: GatewayKey): string {
  return [
    budget && `${toMoney(budget.usd)} ${WINDOW_WORDS[budget.window]}`,
    requestsPerMinute !== undefined && `${toCount(requestsPerMinute, "request")} a minute`,
    concurrency !== undefined && `${concurrency} at once`,
  ]
    .filter(Boolean)
    .join(", ");
}

function toMayAsk({ only, without, allowFields }: GatewayKey): string {
  const fields = allowFields && `with the fields ${allowFields.join(", ")}`;
  return [only && `only ${only.join(", ")}`, without && `without ${without.join(", ")}`, fields]
    .filter(Boolean)
    .join("; ");
}
