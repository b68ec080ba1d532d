// Where the time went: a bar for each plan and each ask, on one scale, with the critical path marked.

import { toDelay } from "../../../src/base/format.ts";
import type { Run } from "../../../src/perform/run.ts";
import { roundUp } from "../../../src/report/scale.ts";
import { toNodeId } from "../graph/model.ts";
import { shortName } from "../graph/step-node.tsx";
import type { RunView } from "../graph/view.ts";
import { workerColour } from "../ui/values.tsx";

interface TimelineBar {
  id: string;
  label: string;
  what: string;
  start: number;
  end: number;
  isCritical: boolean;
  colour: string;
  problem?: string;
  /** Until the first word came. */
  firstMs?: number;
}

const TICKS = 5;
const SHORTEST_TURN_MS = 50;

export function Timeline({
  run,
  view,
  critical,
}: {
  run: Run;
  view: RunView;
  critical: ReadonlySet<string>;
}) {
  const end = run.stopReason === undefined ? Date.now() : run.startedAt + run.durationMs;
  const bars = toBars(run, view, critical, end);
  const total = Math.max(1, end - run.startedAt, ...bars.map((bar) => bar.end - run.startedAt));
  const share = (ms: number) => `${(100 * ms) / total}%`;
  const step = roundUp(Math.max(1, total / TICKS));
  const ticks = Array.from({ length: Math.floor(total / step) + 1 }, (_, i) => i * step).filter(
    (ms) => ms < total * 0.93,
  );
  return (
    <div className="timeline">
      <div className="timeline-row timeline-axis" aria-hidden="true">
        <span />
        <span className="timeline-track">
          {ticks.map((ms) => (
            <span key={ms} className="timeline-tick" style={{ left: share(ms) }}>
              {toDelay(ms)}
            </span>
          ))}
        </span>
      </div>
      <ol className="plain-list">
        {bars.map((bar) => (
          <li key={bar.id} className="timeline-row">
            <span className="cut" title={bar.what}>
              {bar.isCritical && (
                <span className="timeline-mark" title="On the critical path">
                  ●
                </span>
              )}{" "}
              {bar.label} <span className="muted">{bar.what}</span>
            </span>
            <span className="timeline-track">
              <span
                className={`timeline-bar ${bar.isCritical ? "critical" : ""} ${bar.problem ? "failed" : ""}`}
                style={{
                  left: share(bar.start - run.startedAt),
                  width: share(Math.max(bar.end - bar.start, total / 400)),
                  background: bar.problem ? undefined : bar.colour,
                }}
                title={`${bar.label}: ${toDelay(bar.end - bar.start)}${bar.problem ? `, ${bar.problem}` : ""}`}
              >
                {bar.firstMs !== undefined && (
                  <span
                    className="timeline-first"
                    style={{
                      width: `${Math.min(100, (100 * bar.firstMs) / Math.max(1, bar.end - bar.start))}%`,
                    }}
                  />
                )}
              </span>
              <span className="timeline-delay number" style={toDelayStyle(bar, run.startedAt, total)}>
                {toDelay(bar.end - bar.start)}
                {bar.problem && " ✗"}
              </span>
            </span>
          </li>
        ))}
      </ol>
      <p className="small muted">
        <span className="timeline-mark">●</span> critical path: making anything else faster does not make the
        run faster. The pale part of a bar is the wait for the first word.
      </p>
    </div>
  );
}

/** Behind the bar, or before it where there is no room behind. */
function toDelayStyle({ start, end }: TimelineBar, from: number, total: number): React.CSSProperties {
  return (end - from) / total > 0.88
    ? { right: `calc(${100 - (100 * (start - from)) / total}% + 6px)` }
    : { left: `calc(${(100 * (end - from)) / total}% + 6px)` };
}

function toBars(run: Run, view: RunView, critical: ReadonlySet<string>, now: number): TimelineBar[] {
  const plans = view.plans.flatMap(({ round, attempt, startedAt, endedAt, problem }): TimelineBar[] => {
    const isTurn = run.rounds[round]?.belief !== undefined;
    const end = endedAt ?? now;
    // Who decides in turns decides often and at once: bars that nobody sees would only be many.
    if (isTurn && !problem && end - startedAt < SHORTEST_TURN_MS) return [];
    const name = `${isTurn ? "turn" : "round"} ${round + 1}`;
    return [
      {
        id: `plan-${round}-${attempt}`,
        label: "Conductor",
        what: attempt > 0 ? `${name}, again` : name,
        start: startedAt,
        end,
        isCritical: critical.has(`plan-${round}`),
        colour: "var(--muted)",
        problem,
      },
    ];
  });
  const asks = view.attempts.map((each): TimelineBar => {
    const { round, step, attempt, worker, startedAt, endedAt, error, firstTokenMs, instead } = each;
    const subtask = run.rounds[round]?.steps[step]?.subtask ?? "";
    return {
      id: `${toNodeId(round, step)}-${attempt}`,
      label: shortName(run.pool[worker]?.id ?? `worker ${worker}`),
      what: instead ? `instead: ${instead}` : attempt > 0 ? `asked again: ${subtask}` : subtask,
      start: startedAt,
      end: endedAt ?? now,
      isCritical: critical.has(toNodeId(round, step)),
      colour: workerColour(worker),
      problem: error?.message,
      firstMs: firstTokenMs,
    };
  });
  return [...plans, ...asks].sort((a, b) => a.start - b.start || a.end - b.end);
}
