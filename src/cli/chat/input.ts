// Lines of a conversation. On a terminal: edited, with the lines before, several where one ends with a backslash or where
// they are pasted. What is typed while an answer is written waits for the next prompt (type-ahead.ts). Piped: plain lines.

import { createInterface, type Interface } from "node:readline";
import type { Environment } from "../../config/home.ts";
import { createStyle, isLive } from "../terminal/style.ts";
import { TypeAhead } from "./type-ahead.ts";

export interface ChatInput {
  readonly isTerminal: boolean;
  /** One question or command; undefined at the end. */
  next: () => Promise<string | undefined>;
  /** A line as it is, for yes or no. */
  nextLine?: () => Promise<string | undefined>;
  /** While this is asked, standard input is somebody else's: a plan to agree to, an editor. */
  lend?<Result>(use: () => Promise<Result>): Promise<Result>;
  /** Lines that the arrow keys find. */
  remember(line: string): void;
  close(): void;
}

export interface InputStreams {
  stdin: NodeJS.ReadStream;
  stderr: NodeJS.WriteStream;
  env: Environment;
}

const MOST_LINES = 500;
const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";

export function openInput(streams: InputStreams): ChatInput {
  return streams.stdin.isTTY && isLive(streams.stderr, streams.env)
    ? openTerminal(streams)
    : openPipe(streams.stdin);
}

function openPipe(stdin: NodeJS.ReadableStream): ChatInput {
  const reader = createInterface({ input: stdin, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  const nextLine = async () => {
    const { value, done } = await lines.next();
    return done ? undefined : value;
  };
  return {
    isTerminal: false,
    nextLine,
    async next() {
      let text = await nextLine();
      while (text?.endsWith("\\")) {
        const more = await nextLine();
        text = `${text.slice(0, -1)}${more === undefined ? "" : `\n${more}`}`;
      }
      return text;
    },
    remember: () => {},
    close: () => reader.close(),
  };
}

function openTerminal({ stdin, stderr, env }: InputStreams): ChatInput {
  const style = createStyle(stderr, env);
  const [prompt, more] = [style.bold(style.cyan("› ")), style.dim("… ")];
  const typed = new TypeAhead(stdin);
  let history: string[] = [];
  let wantsToLeave = false;

  function read(): Promise<string | undefined> {
    typed.release();
    return new Promise((resolve) => {
      const reader: Interface & { history?: string[]; line: string } = createInterface({
        input: stdin,
        output: stderr,
        terminal: true,
        history: [...history],
        historySize: MOST_LINES,
        removeHistoryDuplicates: true,
        prompt,
      });
      const lines: string[] = [];
      let isPasting = false;
      let isOver = false;
      const finish = (text: string | undefined) => {
        if (isOver) return;
        isOver = true;
        stdin.off("keypress", onKey);
        stderr.write(PASTE_OFF);
        reader.close();
        typed.hold();
        resolve(text);
      };
      const onKey = (_: unknown, key: { name?: string } | undefined) => {
        if (key?.name === "paste-start") isPasting = true;
        if (key?.name === "paste-end") isPasting = false;
      };
      reader.on("line", (line) => {
        wantsToLeave = false;
        const isOpen = isPasting || line.endsWith("\\");
        lines.push(isPasting ? line : line.replace(/\\$/, ""));
        if (!isOpen) return finish(lines.join("\n"));
        reader.setPrompt(more);
        if (!isPasting) reader.prompt();
      });
      reader.on("SIGINT", () => {
        const isEmpty = lines.length === 0 && reader.line === "";
        if (isEmpty && wantsToLeave) {
          stderr.write("\n");
          return finish(undefined);
        }
        wantsToLeave = isEmpty;
        lines.length = 0;
        stderr.write(isEmpty ? `\n${style.dim("Ctrl-C again, or Ctrl-D, leaves.")}\n` : "\n");
        reader.setPrompt(prompt);
        reader.write(null, { ctrl: true, name: "e" });
        reader.write(null, { ctrl: true, name: "u" });
        reader.prompt();
      });
      // Ctrl-D on an empty line, or the terminal is gone.
      reader.on("close", () => {
        if (!isOver) stderr.write("\n");
        finish(undefined);
      });
      stdin.on("keypress", onKey);
      stderr.write(PASTE_ON);
      reader.prompt();
      for (let held = typed.next(); held; held = isOver ? undefined : typed.next())
        reader.write(held.text, held.key);
    });
  }

  const remember = (line: string) => {
    const plain = line.replaceAll("\n", " ").trim();
    if (plain !== "") history = [plain, ...history.filter((before) => before !== plain)].slice(0, MOST_LINES);
  };
  return {
    isTerminal: true,
    async next() {
      const text = await read();
      if (text !== undefined) remember(text);
      return text;
    },
    remember,
    async lend(use) {
      typed.release();
      try {
        return await use();
      } finally {
        typed.hold();
      }
    },
    close() {
      typed.release();
      stdin.pause();
    },
  };
}
