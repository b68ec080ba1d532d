// The turns of a run whose Conductor decides after every reply: who was asked, what came back, how the probabilities of
// the answers moved, and what else could have been asked. Bars are for the eye; every value stands beside its bar.

import { toCount, toPercent, toPoints } from "../../../src/base/format.ts";
import { toLikeliest } from "../../../src/belief/reading.ts";
import type { Belief, BelievedOption } from "../../../src/belief/types.ts";
import type { Run } from "../../../src/perform/run.ts";
import { shortName } from "../graph/step-node.tsx";
import { Card } from "../ui/card.tsx";
import { Tag } from "../ui/tag.tsx";
import { workerColour } from "../ui/values.tsx";
import { type Turn, type TurnAsk, toTurns } from "./turns.ts";
import "./turns.css";

const MOST_ANSWERS = 4;
const MOST_OTHERS = 3;

/** Nothing for runs whose Conductor weighs no answers. */
export function TurnList({ run }: { run: Run }) {
  const turns = toTurns(run);
  if (turns.length === 0) return null;
  const best = run.belief?.answers[0];
  return (
    <Card
      title="Turns"
      aside={best && <span className="muted small">stopped {toPercent(best.probability)} sure</span>}
    >
      <ol className="plain-list">
        {turns.map((turn) => (
          <TurnRow key={turn.number} turn={turn} run={run} />
        ))}
      </ol>
      <p className="small muted">
        A bar is the probability that an answer is right, as the Conductor believed it. Gain: by how much one
        more ask makes a right answer likelier; price: what the ask costs in the same unit. Both in points of
        a hundred.
      </p>
    </Card>
  );
}

function TurnRow({ turn, run }: { turn: Turn; run: Run }) {
  const { number, asks, before, after, others } = turn;
  const isOver = run.stopReason !== undefined;
  return (
    <li className="turn" aria-label={`Turn ${number + 1}`}>
      <div className="turn-asks">
        <h3>Turn {number + 1}</h3>
        {asks.map((ask) => (
          <Asked key={ask.step.step} ask={ask} isOver={isOver} />
        ))}
      </div>
      <Believed title="Before" belief={before} />
      {after ? (
        <Believed title="After" belief={after} />
      ) : (
        <div>
          <h4>After</h4>
          <p className="small muted">{isOver ? "Nothing was decided after it." : "Not known yet."}</p>
        </div>
      )}
      <Others options={others.slice(0, MOST_OTHERS)} run={run} />
    </li>
  );
}

function Asked({ ask: { step, option, said }, isOver }: { ask: TurnAsk; isOver: boolean }) {
  const silence = step.state === "failed" || isOver ? "No reply." : "No reply yet.";
  return (
    <div className="turn-ask" style={{ borderLeftColor: workerColour(step.worker) }}>
      <p className="row">
        <strong className="turn-worker" title={step.workerId}>
          {shortName(step.workerId)}
        </strong>
        {option?.role && <Tag>{option.role}</Tag>}
      </p>
      {step.insteadOf && <p className="small muted">instead of {shortName(step.insteadOf)}</p>}
      {said ? <p className="turn-said">{said}</p> : <p className="small muted">{silence}</p>}
      {option && (
        <p className="small muted number">
          gain {toPoints(option.gain)}, price {toPoints(option.price)}
        </p>
      )}
    </div>
  );
}

function Believed({ title, belief }: { title: string; belief: Belief }) {
  const { shown, others } = toLikeliest(belief, MOST_ANSWERS);
  return (
    <div>
      <h4>{title}</h4>
      <ul className="plain-list">
        {shown.map(({ answer, probability, replies }) => (
          // A group is known by who said it first: what it is called may change.
          <Bar key={`${replies[0]?.round}.${replies[0]?.step}`} label={answer} share={probability} />
        ))}
        {others.count > 0 && <Bar label={toCount(others.count, "other")} share={others.probability} />}
        <Bar label="none right so far" share={belief.none} isNone />
      </ul>
    </div>
  );
}

function Bar({ label, share, isNone = false }: { label: string; share: number; isNone?: boolean }) {
  const width = `${Math.min(1, Math.max(0, share)) * 100}%`;
  return (
    <li className={isNone ? "belief none" : "belief"}>
      <span className="cut" title={label}>
        {label}
      </span>{" "}
      <span className="belief-track" aria-hidden="true">
        <span style={{ width }} />
      </span>
      <span className="number belief-share">{toPercent(share)}</span>
    </li>
  );
}

function Others({ options, run }: { options: BelievedOption[]; run: Run }) {
  return (
    <div>
      <h4>Other asks</h4>
      {options.length === 0 ? (
        <p className="small muted">None was weighed.</p>
      ) : (
        <table className="turn-options">
          <thead>
            <tr>
              <th scope="col">Who</th>
              <th scope="col">Gain</th>
              <th scope="col">Price</th>
            </tr>
          </thead>
          <tbody>
            {options.map(({ worker, role, gain, price }) => (
              <tr key={`${worker} ${role}`}>
                <td>
                  {shortName(run.pool[worker]?.id ?? `worker ${worker}`)}
                  {role && <span className="muted"> {role}</span>}
                </td>
                <td>{toPoints(gain)}</td>
                <td>{toPoints(price)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
