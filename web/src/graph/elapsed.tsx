import { useEffect, useState } from "react";
import { toDelay } from "../../../src/base/format.ts";

const TICK_MS = 200;

/** How long something has been going on; it ticks by itself, so that nothing around it has to. */
export function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return <span className="number">{toDelay(Math.max(0, now - since))}</span>;
}
