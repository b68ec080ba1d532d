// The flags of `tutti keys create`: what a key may do, read before anything is written.

import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { BUDGET_WINDOWS, type BudgetWindow } from "../../gateway/access/budget-window.ts";
import type { KeySettings } from "../../gateway/access/keys.ts";
import { checkRequired, oneOf, toDecimal, wholeNumber } from "../options.ts";
import type { KeyFlags } from "./open-keys.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const LONGEST_LIFE_MS = 100 * 365 * DAY_MS;
const MOST_USD = 1e9;

export interface CreateFlags extends KeyFlags {
  name: string;
  only?: string[];
  without?: string[];
  allowFields?: string[];
  requestsPerMinute?: number;
  concurrency?: number;
  budgetUsd?: number;
  window?: BudgetWindow;
  expires?: number;
  admin?: boolean;
}

export function addCreateFlags(command: Command): Command {
  return command
    .hook("preAction", checkRequired("--name"))
    .option("--name <name>", "a name for people")
    .option("--only <names>", "may use only these providers or workers, separated by commas", names("--only"))
    .option(
      "--without <names>",
      "may not use these providers, workers, models or families (openai/gpt-5*)",
      names("--without"),
    )
    .option(
      "--allow-fields <names>",
      "with a budget: fields and tools of passed-through requests that may change their price; * is all",
      names("--allow-fields", "fields"),
    )
    .option(
      "--requests-per-minute <n>",
      "the most requests in any 60 seconds",
      wholeNumber("--requests-per-minute", 1, 1_000_000),
    )
    .option(
      "--concurrency <n>",
      "the most requests at the same time",
      wholeNumber("--concurrency", 1, 100_000),
    )
    .option("--budget-usd <amount>", "the most it may spend in each --window", budget)
    .option(
      "--window <window>",
      "day, week (from Monday), month or total; in UTC",
      oneOf("--window", BUDGET_WINDOWS),
    )
    .option("--expires <when>", "in 12h or 30d, or at the end of a day (UTC) such as 2026-12-31", expiry)
    .option("--admin", "may see the runs and the costs of all keys");
}

function names(flag: string, of = "providers or workers"): (text: string) => string[] {
  return (text) => {
    const list = text.split(",").map((name) => name.trim());
    if (list.every((name) => /^[^\s\p{C}]{1,200}$/u.test(name))) return [...new Set(list)];
    throw usageError(`${flag} must be names of ${of} separated by commas, not "${text}"`);
  };
}

function budget(text: string): number {
  const usd = toDecimal(text);
  if (usd > 0 && usd <= MOST_USD) return usd;
  throw usageError(`--budget-usd must be an amount in dollars above 0, such as 5 or 0.50, not "${text}"`);
}

function expiry(text: string): number {
  const now = Date.now();
  const [, count, unit] = /^(\d{1,7})([hd])$/.exec(text) ?? [];
  const at = unit ? now + Number(count) * (unit === "h" ? HOUR_MS : DAY_MS) : endOfDay(text);
  if (Number.isNaN(at))
    throw usageError(`--expires must be such as 12h, 30d or 2026-12-31 (a date in UTC), not "${text}"`);
  if (at <= now) throw usageError(`--expires must be in the future, and "${text}" is not`);
  if (at > now + LONGEST_LIFE_MS) throw usageError(`--expires must be within a hundred years, not "${text}"`);
  return at;
}

/** NaN for what is no date, such as 2026-02-30. */
function endOfDay(text: string): number {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(day) && new Date(day).toISOString().startsWith(text) ? day + DAY_MS : Number.NaN;
}

export function toSettings(flags: CreateFlags): KeySettings {
  const {
    name,
    only,
    without,
    allowFields,
    requestsPerMinute,
    concurrency,
    budgetUsd,
    window,
    expires,
    admin,
  } = flags;
  if (name.trim() === "") throw usageError(`--name must not be empty`);
  if (budgetUsd !== undefined && window === undefined)
    throw usageError(`--budget-usd needs --window: ${BUDGET_WINDOWS.join(", ")}`);
  if (allowFields && budgetUsd === undefined)
    throw usageError("--allow-fields needs --budget-usd: without a budget every field is passed through");
  if (window !== undefined && budgetUsd === undefined)
    throw usageError("--window needs --budget-usd: what the key may spend in it");
  return {
    name: name.trim(),
    isAdmin: admin ?? false,
    only,
    without,
    allowFields,
    requestsPerMinute,
    concurrency,
    budget: budgetUsd !== undefined && window ? { usd: budgetUsd, window } : undefined,
    expiresAt: expires,
  };
}

/** By the config that the gateway would read. */
export async function checkNames(wanted: readonly string[], file: string | undefined): Promise<void> {
  if (wanted.length === 0) return;
  const [{ openConfig }, { checkKeyNames }] = await Promise.all([
    import("../open-config.ts"),
    import("../../gateway/access/key-names.ts"),
  ]);
  const { config } = await openConfig({ file });
  checkKeyNames(wanted, config);
}
