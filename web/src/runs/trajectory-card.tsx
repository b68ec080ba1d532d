// A tool loop as it was decided: who took each turn and what that costs, when the Conductor was asked, how the answer was
// verified; or why a request beside the work went to the cheapest worker. The words are those of the trace.

import type { Run } from "../../../src/perform/run.ts";
import { countTurns, describeTurn, describeTurns } from "../../../src/trajectory/describe.ts";
import { Card } from "../ui/card.tsx";
import { Tag } from "../ui/tag.tsx";

export function TrajectoryCard({ run }: { run: Run }) {
  const nameOf = (worker: number) => run.pool[worker]?.id ?? `worker ${worker}`;
  const lines = run.rounds.flatMap(({ turn, steps }, round) => [
    ...(turn
      ? [{ key: `${round}`, label: turn.kind.replace("-", " "), text: describeTurn(turn, nameOf) }]
      : []),
    ...steps.flatMap(({ step, decisions = [] }) =>
      describeTurns(decisions, nameOf, countTurns(run.steps, round)).map(({ turns, text }) => ({
        key: `${round}.${step}.${turns}`,
        label: `turn ${turns}`,
        text,
      })),
    ),
  ]);
  const { side } = run.settings;
  if (side) lines.unshift({ key: "side", label: side.shape, text: describeTurn(side, nameOf) });
  if (lines.length === 0) return null;
  return (
    <Card title={side ? "Beside the work" : "Turns of the tool loop"}>
      <ol className="dense-list">
        {lines.map(({ key, label, text }) => (
          <li key={key}>
            <Tag>{label}</Tag> {text}
          </li>
        ))}
      </ol>
    </Card>
  );
}
