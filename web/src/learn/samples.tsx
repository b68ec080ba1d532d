// Workflows as they were sampled early and late, for the same question where there is one.

import { useMemo, useState } from "react";
import { Link } from "wouter";
import {
  pairSamples,
  SAMPLES_NOTE,
  type SampledRound,
  toSampleView,
} from "../../../src/learn/report/samples.ts";
import type { Sample } from "../../../src/learn/types.ts";
import { Choice } from "../ui/field.tsx";

export function Samples({ samples }: { samples: readonly Sample[] }) {
  const pairs = useMemo(() => pairSamples(samples), [samples]);
  const [chosen, setChosen] = useState(0);
  const latest = samples.at(-1);
  const { early, late } = pairs[chosen] ?? pairs[0] ?? { late: latest };
  if (!late)
    return (
      <p className="muted">
        Nothing yet. Every few iterations the workflows for the same three questions are kept.
      </p>
    );
  const questions = pairs.map((pair, i) => [i, pair.late.question.slice(0, 100)] as const);
  return (
    <div className="stack">
      {pairs.length > 1 && (
        <Choice
          label="Question"
          value={chosen}
          options={questions}
          onChange={(value) => setChosen(Number(value))}
        />
      )}
      <p className="muted small">{SAMPLES_NOTE}</p>
      <div>
        <p className="sample-question">{late.question}</p>
        <div className="pair">
          {early && (
            <SampledWorkflow title="Early" sample={early} isSameQuestion={early.task === late.task} />
          )}
          <SampledWorkflow title={early ? "Late" : "Now"} sample={late} isSameQuestion />
        </div>
      </div>
    </div>
  );
}

interface Props {
  title: string;
  sample: Sample;
  isSameQuestion: boolean;
}

function SampledWorkflow({ title, sample, isSameQuestion }: Props) {
  const { heading, calls, rounds, isRight, verdict, answer, runId } = toSampleView(sample);
  return (
    <div>
      <h3>
        {title}: {heading} <small>{calls}</small>
      </h3>
      {!isSameQuestion && <p className="sample-question">{sample.question}</p>}
      {rounds.map((round, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rounds do not move
        <div key={i}>
          {rounds.length > 1 && <small>round {i + 1}</small>}
          <Round round={round} />
        </div>
      ))}
      <p className="reply">
        <span className={`${isRight ? "right" : "wrong"}-answer`}>{verdict}</span> {answer}
      </p>
      {runId && <Link href={`/runs/${encodeURIComponent(runId)}`}>the run</Link>}
    </div>
  );
}

function Round({ round }: { round: SampledRound }) {
  switch (round.type) {
    case "accepts":
      return <p className="reply muted">Accepts what the team has answered.</p>;
    case "invalid":
      return (
        <>
          <p className="reply muted">Not a workflow: {round.message}</p>
          <pre className="block wrap">{round.text || "(nothing)"}</pre>
        </>
      );
    case "steps":
      return (
        <ol className="steps">
          {round.steps.map(({ worker, sight, subtask }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps do not move
            <li key={i}>
              <span>{i + 1}</span>
              <div>
                <b>{worker}</b> <small>{sight}</small>
                <br />
                {subtask}
              </div>
            </li>
          ))}
        </ol>
      );
  }
}
