// What can be done with a run.

import { useState } from "react";
import { useLocation } from "wouter";
import type { Run } from "../../../src/perform/run.ts";
import { cancelRun, hasKey, rateRun, showRun, toUrl } from "../api.ts";
import { startRun } from "../ask/chat-stream.ts";
import { Button } from "../ui/button.tsx";
import { copyText } from "../ui/copy.ts";
import { ErrorNote } from "../ui/notes.tsx";
import { toChatBody, toCurl } from "./chat-body.ts";
import { RatingList } from "./rating-list.tsx";

export type Tool = "edit" | "compare";

interface Props {
  run: Run;
  isRunning: boolean;
  tool: Tool | undefined;
  onTool: (tool: Tool | undefined) => void;
}

const SAID_MS = 2_000;

export function RunActions({ run, isRunning, tool, onTool }: Props) {
  const [, navigate] = useLocation();
  const [problem, setProblem] = useState<unknown>();
  const [said, setSaid] = useState("");
  const [rated, setRated] = useState<Run["feedback"]>();
  const attempt = (work: () => Promise<void>) => {
    setProblem(undefined);
    work().catch(setProblem);
  };
  const askAgain = async () => navigate(`/runs/${await startRun(toChatBody(run))}`);
  const copy = async () => {
    await copyText(toCurl(toChatBody(run), toUrl("v1/chat/completions").href, hasKey()));
    setSaid("Copied");
    setTimeout(() => setSaid(""), SAID_MS);
  };
  const rate = async (score: number) => {
    const { data } = await rateRun(run.id, score);
    setRated(data);
    setSaid(score === 1 ? "Rated good" : "Rated bad");
    setTimeout(() => setSaid(""), SAID_MS);
  };
  const download = async () => saveFile(`${run.id}.json`, JSON.stringify(await showRun(run.id), null, 2));
  const isKept = run.task.messages.length > 0;
  return (
    <>
      <div className="row" role="toolbar" aria-label="What to do with this run">
        {isRunning && (
          <Button kind="danger" onClick={() => attempt(async () => void (await cancelRun(run.id)))}>
            Stop
          </Button>
        )}
        <Button onClick={() => attempt(askAgain)} disabled={!isKept}>
          Ask again
        </Button>
        <Button
          aria-pressed={tool === "edit"}
          disabled={!isKept}
          onClick={() => onTool(tool === "edit" ? undefined : "edit")}
        >
          Edit the workflow
        </Button>
        <Button
          aria-pressed={tool === "compare"}
          disabled={!isKept}
          onClick={() => onTool(tool === "compare" ? undefined : "compare")}
        >
          Compare with one worker
        </Button>
        <Button onClick={() => attempt(copy)} disabled={!isKept}>
          Copy as curl
        </Button>
        <Button disabled={isRunning} onClick={() => attempt(() => rate(1))}>
          Good answer
        </Button>
        <Button disabled={isRunning} onClick={() => attempt(() => rate(0))}>
          Bad answer
        </Button>
        <Button onClick={() => attempt(download)}>Download JSON</Button>
        <span className="small muted" role="status">
          {said}
        </span>
      </div>
      <RatingList feedback={rated ?? run.feedback} />
      {problem !== undefined && <ErrorNote error={problem} />}
    </>
  );
}

function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
