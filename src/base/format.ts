// Figures as people read them: money, times, tokens, counts. Pure, and the same in the terminal and in the dashboard.

/**
 * $0.0004, $0.012, $1.23: two digits that count, at least two decimals. A positive amount is never "$0.00".
 * Undefined is a price nobody knows. Money of the rehearsal is called simulated.
 */
export function toMoney(usd: number | undefined, isSimulated = false): string {
  if (usd === undefined) return "price unknown";
  return isSimulated && usd > 0 ? `${toDollars(usd)} simulated` : toDollars(usd);
}

/** In a table: a dash where it is unknown, which is never $0. */
export function toCost(usd: number | undefined): string {
  return usd === undefined ? "—" : toMoney(usd);
}

function toDollars(usd: number): string {
  if (usd === 0) return "$0";
  if (usd < 0.000001) return "<$0.000001";
  if (usd >= 0.995)
    return `$${usd.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  const decimals = Math.max(2, 1 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(decimals).replace(/(\.\d\d\d*?)0+$/, "$1")}`;
}

/** Dollars for a million tokens in and out. */
export function toPrices(price: { inputUsd: number; outputUsd: number } | undefined): string {
  if (!price) return "price unknown";
  if (price.inputUsd === 0 && price.outputUsd === 0) return "free";
  return `${toDollars(price.inputUsd)} / ${toDollars(price.outputUsd)}`;
}

/** 85 ms, 0.4 s, 42 s, 2 min 05 s, 10 min, 1 h 05 min. */
export function toDelay(ms: number): string {
  if (ms < 99.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const and = (rest: number, unit: string) => (rest === 0 ? "" : ` ${String(rest).padStart(2, "0")} ${unit}`);
  if (minutes < 60) return `${minutes} min${and(seconds % 60, "s")}`;
  return `${Math.floor(minutes / 60)} h${and(minutes % 60, "min")}`;
}

export function toTokens(tokens: number): string {
  if (tokens < 10_000) return tokens.toLocaleString("en");
  if (tokens < 999_950) return `${(tokens / 1000).toFixed(1)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** "1 step", "3 steps", "2 tries". */
export function toCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

export function toPercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** 0.6123 → "61.2": points of a hundred, for tables that say % once. */
export function toPoints(share: number): string {
  return (share * 100).toFixed(1);
}

/** A difference in points: "+2.8", "-0.4", and "0.0" without a sign. */
export function toSignedPoints(share: number): string {
  const points = toPoints(share);
  return share > 0 && points !== "0.0" ? `+${points}` : points.replace(/^-0\.0$/, "0.0");
}

/** How long ago, and from a day on the date. */
export function toWhen(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return toClock(at).slice(0, 16);
}

/** 2026-11-16 01:52:03, in the time zone of the reader. */
export function toClock(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace("T", " ");
}

/** "1", "1 and 2", "1, 2 and 3". */
export function toSeries(items: readonly (string | number)[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** "step 2", "steps 1 and 2" for positions that count from 0. */
export function toStepNumbers(positions: readonly number[]): string {
  return `${positions.length > 1 ? "steps" : "step"} ${toSeries(positions.map((position) => position + 1))}`;
}

/** "round 1", "rounds 1 to 3" for those from `first` to before `end`, which count from 0. Empty for none. */
export function toRoundNumbers(first: number, end: number): string {
  if (first >= end) return "";
  return end - first === 1 ? `round ${end}` : `rounds ${first + 1} to ${end}`;
}

/** Enough of a long text to recognise it. */
export function shorten(text: string, characters = 60): string {
  return text.length <= characters ? text : `${text.slice(0, characters)}…`;
}
