// The command on a real terminal: keys in, screen out. A tmux server of its own for each, ended by its own name.

import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

export interface Terminal {
  keys(...keys: string[]): void;
  /** As a terminal pastes: between its own marks. */
  paste(text: string): void;
  resize(columns: number): void;
  /** Waits until the screen shows it. */
  shows(pattern: RegExp): Promise<void>;
  shown(): string;
  close(): void;
}

let opened = 0;

/** `words` as a shell reads them, after `tutti`. Its exit code is shown at the end as "left with N". */
export function openTerminal(words: string, env: Record<string, string>, cwd = env.TUTTI_HOME): Terminal {
  return openProgram(`${process.execPath} ${MAIN} ${words}`, env, cwd);
}

/** Any program, with no key and no server of the developer's in its environment. */
export function openProgram(program: string, env: Record<string, string>, cwd?: string): Terminal {
  const socket = `tutti-test-${process.pid}-${++opened}`;
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
  const variables = Object.entries({ PATH: process.env.PATH ?? "", TERM: "screen", ...env }).map(
    ([name, value]) => `${name}='${value}'`,
  );
  const command = `env -i ${variables.join(" ")} ${program}; echo "left with $?"; read x`;
  tmux("new-session", "-d", "-x", "90", "-y", "40", ...(cwd ? ["-c", cwd] : []), command);
  const shown = () => tmux("capture-pane", "-p", "-S", "-200");
  return {
    keys: (...keys) => void tmux("send-keys", ...keys),
    paste(text) {
      tmux("set-buffer", text);
      tmux("paste-buffer", "-p");
    },
    resize: (columns) => void tmux("resize-window", "-x", String(columns)),
    shows: (pattern) => expect.poll(shown, { timeout: 40_000, interval: 50 }).toMatch(pattern),
    shown,
    close: () => void tmux("kill-server"),
  };
}
