// The bill and the quota, as bodies of replies: what was spent by key, user, model, day or tag, as JSON or as
// CSV for a spreadsheet, and what a key may still spend. Pure.

import { shorten } from "../../base/format.ts";
import { readTime, TIME_FORMS } from "../../base/read-time.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { Query } from "../../http/target.ts";
import { addSums, NO_SUMS } from "../../store/sums.ts";
import type { SpendingFilter, SpendingGroup, SpendingRow, Sums } from "../../store/types.ts";
import { badRequest } from "../http/object-reader.ts";
import { endOfWindow } from "./budget-window.ts";
import type { GatewayKey } from "./keys.ts";

const GROUPS = ["key", "user", "model", "day"] as const;
const TAG = "metadata.";
const MOST_GROUPS = 6;
const LONGEST_TAG = 64;
const FORMATS = ["json", "csv"] as const;

export interface BillQuery {
  /** For Store.sumSpending. Whose bill it may be is for the caller to decide. */
  filter: SpendingFilter & { groupBy: SpendingGroup[] };
  format: (typeof FORMATS)[number];
}

// ---- What is asked for --------------------------------------------------------------------------

/** `from` (inclusive) and `to` (exclusive) are dates (UTC), times, or milliseconds. Other parameters are ignored. */
export function parseBillQuery(query: Query): BillQuery {
  const from = parseTime("from", query.from);
  const to = parseTime("to", query.to);
  if (from !== undefined && to !== undefined && from >= to)
    throw badRequest(`"to" must be later than "from": "${query.to}" is not later than "${query.from}"`, "to");
  const format = FORMATS.find((known) => known === (query.format || "json"));
  if (!format)
    throw badRequest(`"format" must be json or csv, not "${shorten(query.format ?? "")}"`, "format");
  return {
    filter: {
      groupBy: parseGroups(query.group),
      keyId: query.key || undefined,
      from,
      to,
    },
    format,
  };
}

function parseTime(param: "from" | "to", text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const at = readTime(text);
  if (at !== undefined) return at;
  throw badRequest(`"${param}" must be ${TIME_FORMS}, not "${shorten(text)}"`, param);
}

function parseGroups(text: string | undefined): SpendingGroup[] {
  const names = (text ?? "").split(",").map((name) => name.trim());
  const groups = [...new Set(names.filter(Boolean))].map(parseGroup);
  if (groups.length > MOST_GROUPS)
    throw badRequest(`"group" may name ${MOST_GROUPS} groups at the most, not ${groups.length}`, "group");
  return groups;
}

function parseGroup(name: string): SpendingGroup {
  const known = GROUPS.find((group) => group === name);
  if (known) return known;
  if (name.startsWith(TAG) && name.length > TAG.length && name.length <= TAG.length + LONGEST_TAG)
    return name as SpendingGroup;
  const right = `a list of ${GROUPS.join(", ")} and ${TAG}NAME`;
  throw badRequest(`"group" must be ${right}, not "${shorten(name)}".${didYouMean(name, GROUPS)}`, "group");
}

// ---- The bill -----------------------------------------------------------------------------------

/** The same names in JSON and in CSV. */
function toLine(row: SpendingRow, groups: readonly SpendingGroup[]) {
  return {
    ...Object.fromEntries(groups.map((group) => [group, row.group[group] ?? ""])),
    runs: row.runs,
    calls: row.calls,
    cost_usd: toUsd(row.costUsd),
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    simulated: row.isSimulated,
    /** ⊂ cost_usd: nobody said what it cost, so the most was counted. */
    estimated_usd: toUsd(row.estimatedUsd),
    ...toCacheLine(row),
  };
}

/** The first two are ⊂ input_tokens, the last one beside cost_usd. */
function toCacheLine(sums: Sums) {
  return {
    cached_input_tokens: sums.cachedInputTokens,
    cache_write_tokens: sums.cacheWriteTokens,
    cache_saved_usd: toUsd(sums.cacheSavedUsd),
  };
}

/**
 * `total` is real money. What was simulated has a total of its own, where there is any; so have requests that were asked
 * again unseen (⊂ total), which are nobody's.
 */
export function toBill(
  rows: readonly SpendingRow[],
  groups: readonly SpendingGroup[],
  shadows: readonly SpendingRow[] = [],
): object {
  const simulated = rows.filter(({ isSimulated }) => isSimulated);
  return {
    object: "bill",
    group: groups,
    data: rows.map((row) => toLine(row, groups)),
    total: toTotal(rows.filter(({ isSimulated }) => !isSimulated)),
    simulated_total: simulated.length > 0 ? toTotal(simulated) : undefined,
    shadow_total: shadows.length > 0 ? toTotal(shadows) : undefined,
  };
}

function toTotal(rows: readonly SpendingRow[]) {
  const sums = { ...NO_SUMS };
  for (const row of rows) addSums(sums, row);
  return {
    runs: rows.reduce((total, { runs }) => total + runs, 0),
    calls: sums.calls,
    cost_usd: toUsd(sums.costUsd),
    estimated_usd: toUsd(sums.estimatedUsd),
    input_tokens: sums.inputTokens,
    output_tokens: sums.outputTokens,
    ...toCacheLine(sums),
  };
}

const COLUMNS = [
  ...(["runs", "calls", "cost_usd", "input_tokens", "output_tokens", "simulated"] as const),
  // At the end, in the order in which they came, where a script that counts columns does not trip over them.
  ...(["estimated_usd", "cached_input_tokens", "cache_write_tokens", "cache_saved_usd"] as const),
] as const;

/** As RFC 4180 has it, with a heading. */
export function toBillCsv(rows: readonly SpendingRow[], groups: readonly SpendingGroup[]): string {
  const lines = rows.map((row) => {
    const cells: Record<string, unknown> = {
      ...toLine(row, groups),
      cost_usd: toDecimal(row.costUsd),
      estimated_usd: toDecimal(row.estimatedUsd),
      cache_saved_usd: toDecimal(row.cacheSavedUsd),
    };
    return [
      ...groups.map((group) => toCell(String(cells[group]))),
      ...COLUMNS.map((column) => cells[column]),
    ];
  });
  const heading = [...groups.map(toCell), ...COLUMNS];
  return [heading, ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}

/** A spreadsheet runs a cell that begins like a formula, and tags are written by strangers. */
function toCell(text: string): string {
  const safe = /^[\s\p{Cc}]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text) ? `'${text}` : text;
  return /[",\r\n;\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Sums of fractions end in noise ("0.30000000000000004"), far below what anybody pays. */
function toUsd(usd: number): number {
  return Number(usd.toFixed(12));
}

/** Never "1e-7", which half of the spreadsheets take for a text. */
function toDecimal(usd: number): string {
  return toUsd(usd)
    .toFixed(12)
    .replace(/\.?0+$/, "");
}

// ---- The quota ----------------------------------------------------------------------------------

/**
 * What counts against a key's budget. Simulated money does too: a rehearsal shows what a budget does, and a
 * limit must never be looser than it looks.
 */
export function toSpentUsd(rows: readonly SpendingRow[]): number {
  return rows.reduce((sum, { costUsd }) => sum + costUsd, 0);
}

/** The body of GET /v1/usage. `spentUsd` in the window of the key's budget, or of all time without one. */
export function toQuota(key: GatewayKey, spentUsd: number, reservedUsd: number, now: number): object {
  const { budget, expiresAt } = key;
  return {
    object: "usage",
    key: { id: key.id, name: key.name, expires_at: toTime(expiresAt), is_admin: key.isAdmin },
    spent_usd: toUsd(spentUsd),
    budget: budget
      ? {
          limit_usd: budget.usd,
          spent_usd: toUsd(spentUsd),
          reserved_usd: toUsd(reservedUsd),
          remaining_usd: toUsd(Math.max(0, budget.usd - spentUsd - reservedUsd)),
          window: budget.window,
          resets_at: toTime(endOfWindow(budget.window, now)),
        }
      : null,
    limits: {
      requests_per_minute: key.requestsPerMinute ?? null,
      concurrency: key.concurrency ?? null,
    },
    pool: { only: key.only ?? null, without: key.without ?? null },
  };
}

function toTime(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
