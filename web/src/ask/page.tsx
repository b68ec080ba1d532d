// Ask: a chat with a team, and the team at work in sight.

import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useModels } from "../shell/models.ts";
import type { PageProps } from "../shell/pages.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/notes.tsx";
import { Examples } from "./examples.tsx";
import { askNext, clearTurns, stopRunning, useTurns } from "./session.ts";
import { SettingsBar, toWanted, useSettings } from "./settings.tsx";
import { TurnView } from "./turn.tsx";
import "./ask.css";

export default function Page(_: PageProps) {
  const turns = useTurns();
  const { workers, isSimulated, error } = useModels();
  const [settings, setSettings] = useSettings();
  const [text, setText] = useState("");
  const [seed, setSeed] = useState(() => Math.floor(Math.random() * 1000));
  const list = useRef<HTMLDivElement>(null);
  const isRunning = turns.at(-1)?.state === "running";

  const ask = (question: string) => {
    if (isRunning || question.trim() === "") return;
    setText("");
    void askNext(question.trim(), toWanted(settings, workers));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new question is the reason
  useEffect(() => {
    list.current?.lastElementChild?.scrollIntoView({ block: "start", behavior: "smooth" });
  }, [turns.length]);

  return (
    <div className="ask">
      {turns.length === 0 ? (
        <div className="ask-start">
          <h1>Ask a team of models</h1>
          <p className="muted">
            A Conductor writes a workflow for your question: who is asked, what they are told, whom they may
            see. You watch them work.
          </p>
          {error && <ErrorNote error={error} />}
          {isSimulated && (
            <>
              <p className="note warn small">
                The workers here are simulated: no key, no network, no real answers beyond their small world.
                Set <code>OPENAI_API_KEY</code> (or another provider's key) and start <code>tutti serve</code>{" "}
                again to ask real models.
              </p>
              <div className="row">
                <h2 className="grow">Try one of these</h2>
                <Button isSmall kind="quiet" onClick={() => setSeed(seed + 1)}>
                  Others
                </Button>
              </div>
              <Examples seed={seed} onPick={ask} />
            </>
          )}
        </div>
      ) : (
        <div className="turns" ref={list}>
          <h1 className="visually-hidden">Ask</h1>
          {turns.map((turn) => (
            <TurnView key={turn.id} turn={turn} isLast={turn === turns.at(-1)} onPick={ask} />
          ))}
        </div>
      )}
      <Composer
        text={text}
        isRunning={isRunning}
        onText={setText}
        onAsk={() => ask(text)}
        onNew={turns.length > 0 ? clearTurns : undefined}
      >
        <SettingsBar settings={settings} onChange={setSettings} />
      </Composer>
    </div>
  );
}

interface ComposerProps {
  text: string;
  isRunning: boolean;
  onText: (text: string) => void;
  onAsk: () => void;
  onNew: (() => void) | undefined;
  children: React.ReactNode;
}

function Composer({ text, isRunning, onText, onAsk, onNew, children }: ComposerProps) {
  const [problem, setProblem] = useState<unknown>();
  const [isOpen, setIsOpen] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAsk();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onAsk();
  };
  const stop = () => {
    setProblem(undefined);
    stopRunning().catch(setProblem);
  };
  return (
    <form className="composer" onSubmit={submit}>
      {problem !== undefined && <ErrorNote error={problem} />}
      <div className="composer-row">
        <textarea
          aria-label="Your question"
          placeholder="Ask something"
          rows={2}
          value={text}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={onKey}
        />
        {isRunning ? (
          <Button kind="danger" onClick={stop}>
            Stop
          </Button>
        ) : (
          <Button kind="primary" type="submit" disabled={text.trim() === ""}>
            Ask
          </Button>
        )}
      </div>
      <div className={`composer-row composer-more ${isOpen ? "open" : ""}`}>
        <Button
          kind="quiet"
          isSmall
          className="more"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? "Fewer choices" : "Model, quality, budget, pool"}
        </Button>
        {children}
        {onNew && (
          <Button kind="quiet" isSmall onClick={onNew}>
            New conversation
          </Button>
        )}
      </div>
    </form>
  );
}
