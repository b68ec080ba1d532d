// The same question to one worker, beside the team's answer: was the team worth it?

import { useState } from "react";
import { extractAnswer } from "../../../src/answer/extract.ts";
import { sameAnswer } from "../../../src/answer/normalise.ts";
import type { Run } from "../../../src/perform/run.ts";
import { isModel } from "../../../src/worker/kinds.ts";
import { type ChatResult, streamChat } from "../ask/chat-stream.ts";
import { useModels } from "../shell/models.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Choice } from "../ui/field.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { ErrorNote } from "../ui/notes.tsx";
import { Tag } from "../ui/tag.tsx";
import { Duration, Elapsed, Money } from "../ui/values.tsx";
import { toSingleBody } from "./chat-body.ts";

interface SingleAttempt {
  worker: string;
  startedAt: number;
  text: string;
  durationMs?: number;
  result?: ChatResult;
  error?: unknown;
}

export function Compare({ run, onClose }: { run: Run; onClose: () => void }) {
  const { workers } = useModels();
  const [worker, setWorker] = useState("");
  const [attempt, setAttempt] = useState<SingleAttempt>();
  const chosen = worker || strongestOf(run, workers);
  const isRunning = attempt !== undefined && attempt.durationMs === undefined;
  const ask = async () => {
    const startedAt = Date.now();
    const begun: SingleAttempt = { worker: chosen, startedAt, text: "" };
    setAttempt(begun);
    try {
      const result = await streamChat(
        toSingleBody(run, chosen),
        { text: (text) => setAttempt({ ...begun, text }) },
        new AbortController().signal,
      );
      setAttempt({ ...begun, text: result.text, result, durationMs: Date.now() - startedAt });
    } catch (error) {
      setAttempt({ ...begun, error, durationMs: Date.now() - startedAt });
    }
  };
  return (
    <Card
      title="Compare with one worker"
      aside={
        <Button kind="quiet" isSmall onClick={onClose} aria-label="Close the comparison">
          ✕
        </Button>
      }
    >
      <div className="row compare-form">
        <Choice label="Ask it the same" value={chosen} options={workers} onChange={setWorker} />
        <Button kind="primary" disabled={isRunning || chosen === ""} onClick={() => void ask()}>
          Ask it
        </Button>
        {attempt?.result && run.hasAnswer && <Verdict team={run.answer} single={attempt.text} />}
      </div>
      {attempt && (
        <div className="columns">
          <section aria-label="The team">
            <h3>The team</h3>
            <p className="row small muted">
              <Duration ms={run.durationMs} />
              <Money usd={run.costUsd} isSimulated={run.isSimulated} estimatedUsd={run.estimatedUsd} />
              {run.calls} calls
            </p>
            <Markdown text={run.answer} />
          </section>
          <section aria-label={attempt.worker} aria-busy={isRunning}>
            <h3>{attempt.worker}</h3>
            <p className="row small muted">
              {isRunning ? <Elapsed since={attempt.startedAt} /> : <Duration ms={attempt.durationMs} />}
              {attempt.result?.fields && (
                <Money
                  usd={attempt.result.fields.cost_usd}
                  isSimulated={attempt.result.fields.simulated === true}
                />
              )}
              1 call
            </p>
            {attempt.error ? <ErrorNote error={attempt.error} /> : <Markdown text={attempt.text} />}
          </section>
        </div>
      )}
    </Card>
  );
}

function Verdict({ team, single }: { team: string; single: string }) {
  const isSame = sameAnswer(extractAnswer(team), extractAnswer(single));
  return isSame ? <Tag tone="good">the same answer</Tag> : <Tag tone="warn">another answer</Tag>;
}

function strongestOf({ pool }: Run, workers: readonly string[]): string {
  const known = pool.filter((entry) => isModel(entry) && workers.includes(entry.id));
  const best = known.toSorted((a, b) => (b.profile?.success ?? 0) - (a.profile?.success ?? 0))[0];
  return best?.id ?? workers[0] ?? "";
}
