// Workflows as they were written early and late, for the same question. What a model wrote is shown as text.

import { useMemo, useState } from "react";
import { Link } from "wouter";
import { toPercent } from "../../../src/base/format.ts";
import { groupBy } from "../../../src/bench/results.ts";
import type { Sample } from "../../../src/learn/types.ts";
import { Field } from "../ui/field.tsx";
import { Tag } from "../ui/tag.tsx";

export function Samples({ samples }: { samples: readonly Sample[] }) {
  const byTask = useMemo(() => groupBy(samples, ({ task }) => task), [samples]);
  const [chosen, setChosen] = useState<string>();
  const [task, own] = [...byTask].find(([id]) => id === chosen) ?? [...byTask][0] ?? [];
  if (!own || task === undefined)
    return (
      <p className="muted">
        Nothing yet. Every few iterations the plans for the same three questions are kept.
      </p>
    );
  const [early, late] = [own[0]!, own.at(-1)!];
  return (
    <div className="stack">
      <Field label="Question">
        <select value={task} onChange={(event) => setChosen(event.target.value)}>
          {[...byTask].map(([id, [first]]) => (
            <option key={id} value={id}>
              {first!.question.slice(0, 100)}
            </option>
          ))}
        </select>
      </Field>
      <p className="learn-question">{early.question}</p>
      <div className="learn-samples">
        <Plan sample={early} title={early === late ? "Now" : "Early"} />
        {early !== late && <Plan sample={late} title="Late" />}
      </div>
    </div>
  );
}

function Plan({ sample, title }: { sample: Sample; title: string }) {
  const { iteration, stage, texts, answer, score, calls, runId } = sample;
  return (
    <section aria-label={`${title}: iteration ${iteration}`}>
      <div className="row">
        <h3>{title}</h3>
        <span className="muted small">
          iteration {iteration}, {stage}, {calls} {calls === 1 ? "call" : "calls"}
        </span>
        <Tag tone={score >= 1 ? "good" : "bad"}>{score >= 1 ? "right" : `wrong (${toPercent(score)})`}</Tag>
        {runId && <Link href={`/runs/${encodeURIComponent(runId)}`}>the run</Link>}
      </div>
      {texts.map((text, round) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rounds do not move
        <pre key={round} className="block wrap learn-plan">
          {text || "(nothing)"}
        </pre>
      ))}
      {answer && <p className="small learn-answer">Answer: {answer.slice(0, 300)}</p>}
    </section>
  );
}
