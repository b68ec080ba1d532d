// A step in full: what it was told, what it could see, what it said, what it took, and what went wrong before.

import { useState } from "react";
import { Link } from "wouter";
import { toRoundNumbers, toStepNumbers } from "../../../src/base/format.ts";
import type { StepMessages } from "../../../src/gateway/dashboard/types.ts";
import type { Run, RunStep } from "../../../src/perform/run.ts";
import { firstRoundSeen } from "../../../src/workflow/waves.ts";
import { Button } from "../ui/button.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Loaded } from "../ui/notes.tsx";
import { Tag } from "../ui/tag.tsx";
import { useJson } from "../ui/use-json.ts";
import { Duration, Money, Tokens } from "../ui/values.tsx";
import { MessageList } from "./message-list.tsx";
import "./runs.css";

interface Props {
  run: Run;
  step: RunStep;
  onClose: () => void;
}

const TABS = ["reply", "messages", "details"] as const;
const TITLES = { reply: "Reply", messages: "What it was told", details: "Metrics and retries" } as const;

export function StepPanel({ run, step, onClose }: Props) {
  const [tab, setTab] = useState<(typeof TABS)[number]>("reply");
  return (
    <section className="card step-panel" aria-label={`Round ${step.round + 1}, step ${step.step + 1}`}>
      <header>
        <h2>
          {step.workerId}{" "}
          <span className="muted">
            round {step.round + 1}, step {step.step + 1}
          </span>
        </h2>
        <Button kind="quiet" isSmall onClick={onClose} aria-label="Close this step">
          ✕
        </Button>
      </header>
      <p>{step.subtask || <span className="muted">No subtask: it gets the question as it is.</span>}</p>
      <p className="small muted">{toSight(step)}</p>
      <div className="tabs" role="tablist" aria-label="About this step">
        {TABS.map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            aria-selected={tab === each}
            className={tab === each ? "tab selected" : "tab"}
            onClick={() => setTab(each)}
          >
            {TITLES[each]}
          </button>
        ))}
      </div>
      <div role="tabpanel">
        {tab === "reply" && <Reply step={step} />}
        {tab === "messages" && <Messages run={run} step={step} />}
        {tab === "details" && <Details run={run} step={step} />}
      </div>
    </section>
  );
}

function toSight({ access, step, round }: RunStep): string {
  const rounds = toRoundNumbers(firstRoundSeen(access, round), round);
  const before = rounds && ` and all of ${rounds}`;
  if (typeof access === "string")
    return step === 0 && round === 0 ? "Sees nothing: it is the first." : `Sees all earlier steps${before}.`;
  return access.length === 0 ? "Sees no other step." : `Sees ${toStepNumbers(access)}.`;
}

function Reply({ step }: { step: RunStep }) {
  const { reply, partial, reasoning, toolCalls, state } = step;
  if (!reply && !partial && !toolCalls)
    return <p className="muted">{state === "failed" ? "It never replied." : "Nothing has arrived yet."}</p>;
  return (
    <div className="stack">
      {reasoning && (
        <details>
          <summary>Its reasoning</summary>
          <pre className="block wrap">{reasoning}</pre>
        </details>
      )}
      <Markdown text={reply || partial || ""} />
      {!reply && partial && state !== "running" && <Tag tone="warn">broken off</Tag>}
      {toolCalls?.map(({ id, name, input }) => (
        <pre key={id} className="block wrap">
          {name}({input})
        </pre>
      ))}
    </div>
  );
}

function Messages({ run, step }: { run: Run; step: RunStep }) {
  const path = `v1/runs/${encodeURIComponent(run.id)}/messages`;
  const query = { round: step.round, step: step.step };
  const told = useJson<{ data: StepMessages[]; isStripped: boolean }>(path, query, {
    // More is told while it works.
    queryKey: [path, query, step.state],
  });
  return (
    <Loaded query={told}>
      {({ data, isStripped }) => {
        const found = data.find(({ round, step: number }) => round === step.round && number === step.step);
        if (isStripped)
          return <p className="muted">What was said in this run was not kept, as its client wished.</p>;
        return found ? <MessageList {...found} /> : <p className="muted">It has not been asked yet.</p>;
      }}
    </Loaded>
  );
}

function Details({ run, step }: { run: Run; step: RunStep }) {
  const { usage, costUsd, calls, durationMs, firstTokenMs, failures, insteadOf, nestedRunId, exchanges } =
    step;
  const price = run.pool[step.worker]?.price;
  return (
    <div className="stack">
      <dl className="facts">
        <dt>Tokens</dt>
        <dd>
          <Tokens input={usage.inputTokens} output={usage.outputTokens} />
          {usage.cachedInputTokens > 0 && (
            <span className="muted"> ({usage.cachedInputTokens} from the cache)</span>
          )}
          {usage.reasoningTokens > 0 && (
            <span className="muted"> ({usage.reasoningTokens} of reasoning)</span>
          )}
        </dd>
        <dt>Cost</dt>
        <dd>
          <Money usd={costUsd} isSimulated={run.isSimulated} />
          {price && (
            <span className="muted">
              {" "}
              at ${price.inputUsd} / ${price.outputUsd} a million tokens
            </span>
          )}
        </dd>
        <dt>Delay</dt>
        <dd>
          <Duration ms={durationMs} />
          {firstTokenMs !== undefined && (
            <span className="muted">
              , first word after <Duration ms={firstTokenMs} />
            </span>
          )}
        </dd>
        <dt>Calls</dt>
        <dd>{calls}</dd>
        {insteadOf && (
          <>
            <dt>Instead of</dt>
            <dd>{insteadOf}</dd>
          </>
        )}
        {nestedRunId && (
          <>
            <dt>Nested run</dt>
            <dd>
              <Link href={`/runs/${nestedRunId}`}>{nestedRunId}</Link>
            </dd>
          </>
        )}
        {exchanges && exchanges.length > 0 && (
          <>
            <dt>Earlier turns</dt>
            <dd>{exchanges.length}: see what it was told</dd>
          </>
        )}
      </dl>
      {failures.length === 0 ? (
        <p className="muted small">No ask of this step failed.</p>
      ) : (
        <ol className="dense-list">
          {failures.map(({ worker, error, durationMs: took }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: failures only grow at their end
            <li key={i}>
              <Tag tone="bad">{error.code}</Tag> <strong>{worker}</strong>, <Duration ms={took} />:{" "}
              {error.message}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
