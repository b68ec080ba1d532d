// The time over which a key's money is counted: UTC days, weeks that begin on Monday, calendar months, or all
// of it. Apart because admission, the quota and the command must mean the same by it. A run counts where it began.

export const BUDGET_WINDOWS = ["day", "week", "month", "total"] as const;
export type BudgetWindow = (typeof BUDGET_WINDOWS)[number];

const DAY_MS = 24 * 60 * 60 * 1000;

/** "$5 a day", "$5 in total". */
export const WINDOW_WORDS: Record<BudgetWindow, string> = {
  day: "a day",
  week: "a week",
  month: "a month",
  total: "in total",
};

/** Milliseconds since 1970; 0 for a budget that never begins anew. */
export function startOfWindow(window: BudgetWindow, now: number): number {
  const date = new Date(now);
  const day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  switch (window) {
    case "day":
      return day;
    case "week":
      return day - ((date.getUTCDay() + 6) % 7) * DAY_MS;
    case "month":
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
    case "total":
      return 0;
  }
}

/** When the budget begins anew; undefined: never. */
export function endOfWindow(window: BudgetWindow, now: number): number | undefined {
  const start = startOfWindow(window, now);
  switch (window) {
    case "day":
      return start + DAY_MS;
    case "week":
      return start + 7 * DAY_MS;
    case "month": {
      const date = new Date(start);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    }
    case "total":
      return undefined;
  }
}
