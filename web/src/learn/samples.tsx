// Workflows as they were sampled early and late, for the same question where there is one.

import { useMemo } from "react";
import { Link } from "wouter";
import {
  pairSamples,
  SAMPLES_NOTE,
  type SampledRound,
  toSampleView,
} from "../../../src/learn/report/samples.ts";
import type { Sample } from "../../../src/learn/types.ts";

export function Samples({ samples }: { samples: readonly Sample[] }) {
  const shown = useMemo((): { early?: Sample; late: Sample }[] => {
    const pairs = pairSamples(samples);
    // As long as there is nothing to compare, the latest alone.
    return pairs.length > 0 ? pairs : samples.slice(-1).map((late) => ({ late }));
  }, [samples]);
  if (shown.length === 0)
    return (
      <p className="muted">
        Nothing yet. Every few iterations the workflows for the same three questions are kept.
      </p>
    );
  return (
    <div className="stack">
      <p className="muted small">{SAMPLES_NOTE}</p>
      {shown.map(({ early, late }) => {
        const isSame = !early || early.task === late.task;
        return (
          <div key={`${early?.task} ${late.task}`}>
            {isSame && <p className="sample-question">{late.question}</p>}
            <div className="pair">
              {early && <SampledWorkflow title="Early" sample={early} isSameQuestion={isSame} />}
              <SampledWorkflow title={early ? "Late" : "Now"} sample={late} isSameQuestion={isSame} />
            </div>
          </div>
        );
      })}
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
