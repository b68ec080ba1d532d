// Values as people read them, in the same words as the command line.

import { useEffect, useState } from "react";
import { toClock, toDelay, toMoney, toTokens, toWhen } from "../../../src/base/format.ts";
import { colourOf, MOST_COLOURS } from "../../../src/report/drawing.ts";

/** Simulated money is marked wherever it is shown: it was never spent. */
interface MoneyProps {
  usd: number | undefined;
  isSimulated?: boolean;
  /** Of it: nobody said what it cost, so the most was counted. */
  estimatedUsd?: number;
}

export function Money({ usd, isSimulated = false, estimatedUsd = 0 }: MoneyProps) {
  const isMarked = isSimulated && usd !== undefined && usd > 0;
  const isEstimated = estimatedUsd > 0;
  const estimate = `At most: nobody said what ${toMoney(estimatedUsd)} of it cost`;
  const title = isMarked ? "Simulated: no money was spent" : isEstimated ? estimate : undefined;
  return (
    <span className="number" title={title}>
      {isEstimated && "≤ "}
      {toMoney(usd)}
      {isMarked && <span className="muted"> sim.</span>}
    </span>
  );
}

export function Duration({ ms }: { ms: number | undefined }) {
  return <span className="number">{ms === undefined ? "–" : toDelay(ms)}</span>;
}

const TICK_MS = 200;

/** How long something has been going on; it ticks by itself, so that nothing around it has to. */
export function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return <Duration ms={Math.max(0, now - since)} />;
}

export function When({ at, now = Date.now() }: { at: number; now?: number }) {
  return (
    <time className="number" dateTime={new Date(at).toISOString()} title={toClock(at)}>
      {toWhen(at, now)}
    </time>
  );
}

export function Tokens({ input, output }: { input: number; output: number }) {
  return (
    <span className="number" title="tokens in and out">
      {toTokens(input)} in, {toTokens(output)} out
    </span>
  );
}

interface CacheSavingProps {
  /** Input that was read from caches. */
  tokens: number;
  savedUsd: number;
  isSimulated: boolean;
}

/** What caches of providers changed in the bill, where they did. */
export function CacheSaving({ tokens, savedUsd, isSimulated }: CacheSavingProps) {
  // Sums of fractions may leave a trace of nothing.
  if (tokens === 0 && Math.abs(savedUsd) < 1e-12) return null;
  return (
    <span
      className="number"
      title="Input that was read from caches, and what that saved, less what writing into them took more"
    >
      {toTokens(tokens)} cached, <Money usd={Math.abs(savedUsd)} isSimulated={isSimulated} />{" "}
      {savedUsd < 0 ? "more" : "saved"}
    </span>
  );
}

/** The same worker has the same colour wherever a run is shown. */
export function workerColour(worker: number): string {
  return colourOf(worker % MOST_COLOURS);
}

/** A share from 0 to 1 as a bar. Say it in words beside it: the bar is for the eye only. */
export function Meter({ share }: { share: number }) {
  return (
    <span className="meter" aria-hidden="true">
      <span style={{ width: `${Math.min(1, Math.max(0, share)) * 100}%` }} />
    </span>
  );
}
