// The flags of `tutti keys create`: what a key may do, read before anything is written.

import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { BUDGET_WINDOWS, type BudgetWindow } from "../../gateway/access/budget-window.ts";
import type { KeySettings } from "../../gateway/access/keys.ts";
import { oneOf, wholeNumber } from "../options.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const LONGEST_LIFE_MS = 100 * 365 * DAY_MS;
const MOST_USD = 1e9;

export interface CreateFlags {
  json?: boolean;
  config?: string;
  name: string;
  only?: string[];
  without?: string[];
  requestsPerMinute?: number;
  concurrency?: number;
  budgetUsd?: number;
  window?: BudgetWindow;
  expires?: number;
  admin?: boolean;
}

export function addCreateFlags(command: Command): Command {
  return command
    .requiredOption("--name <name>", "what people call it")
    .option("--only <names>", "ask nobody but these providers or workers, parted by commas", names("--only"))
    .option("--without <names>", "never ask these providers or workers", names("--without"))
    .option(
      "--requests-per-minute <n>",
      "in any sixty seconds",
      wholeNumber("--requests-per-minute", 1, 1_000_000),
    )
    .option("--concurrency <n>", "requests that run at once", wholeNumber("--concurrency", 1, 100_000))
    .option("--budget-usd <amount>", "what it may spend in each --window", budget)
    .option(
      "--window <window>",
      "day, week (from Monday), month or total; in UTC",
      oneOf("--window", BUDGET_WINDOWS),
    )
    .option("--expires <when>", "after 12h or 30d, or at the end of a day (UTC) such as 2026-12-31", expiry)
    .option("--admin", "may see the runs and the bills of all keys");
}

function names(flag: string): (text: string) => string[] {
  return (text) => {
    const list = text.split(",").map((name) => name.trim());
    if (list.every((name) => /^[^\s\p{C}]{1,200}$/u.test(name))) return [...new Set(list)];
    throw usageError(`${flag} must be names of providers or workers parted by commas, not "${text}"`);
  };
}

function budget(text: string): number {
  const usd = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (usd > 0 && usd <= MOST_USD) return usd;
  throw usageError(`--budget-usd must be an amount in dollars above 0, such as 5 or 0.50, not "${text}"`);
}

function expiry(text: string): number {
  const now = Date.now();
  const span = /^(\d{1,7})([hd])$/.exec(text);
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  const isDay = !Number.isNaN(day) && new Date(day).toISOString().startsWith(text);
  const at = span
    ? now + Number(span[1]) * (span[2] === "h" ? HOUR_MS : DAY_MS)
    : isDay
      ? day + DAY_MS
      : Number.NaN;
  if (Number.isNaN(at))
    throw usageError(`--expires must be such as 12h, 30d or 2026-12-31 (a date in UTC), not "${text}"`);
  if (at <= now) throw usageError(`--expires must be in the future, and "${text}" is not`);
  if (at > now + LONGEST_LIFE_MS) throw usageError(`--expires must be within a hundred years, not "${text}"`);
  return at;
}

export function toSettings(flags: CreateFlags): KeySettings {
  const { name, only, without, requestsPerMinute, concurrency, budgetUsd, window, expires, admin } = flags;
  if (name.trim() === "") throw usageError(`--name must not be empty`);
  if (budgetUsd !== undefined && window === undefined)
    throw usageError(`--budget-usd needs --window: ${BUDGET_WINDOWS.join(", ")}`);
  if (window !== undefined && budgetUsd === undefined)
    throw usageError("--window needs --budget-usd: what the key may spend in it");
  return {
    name: name.trim(),
    isAdmin: admin ?? false,
    ...(only && { only }),
    ...(without && { without }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(concurrency !== undefined && { concurrency }),
    ...(budgetUsd !== undefined && window && { budget: { usd: budgetUsd, window } }),
    ...(expires !== undefined && { expiresAt: expires }),
  };
}

/** By the config that the gateway would read. */
export async function checkNames(wanted: readonly string[], file: string | undefined): Promise<void> {
  if (wanted.length === 0) return;
  const [{ loadConfig }, { checkKeyNames }] = await Promise.all([
    import("../../config/load.ts"),
    import("../../gateway/access/key-names.ts"),
  ]);
  const { config } = await loadConfig({ cwd: process.cwd(), ...(file !== undefined && { file }) });
  checkKeyNames(wanted, config);
}
