// What a command shows on a real terminal, for pictures and walks: tmux types, waits and hands back the screen with its
// colours.
import { execFileSync, spawnSync } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";

const LONGEST_MS = 60_000;

export const hasTmux = () => spawnSync("tmux", ["-V"]).status === 0;

/**
 * `typed`: pairs of what must be shown before, and what is typed then, with Enter after it; the last one may type nothing.
 * { key: "C-c" } is a key alone. When the command has ended, its exit code is shown: "left with 0".
 */
export async function captureTerminal({ command, env = {}, cwd, columns = 100, rows = 40, typed }) {
  const socket = `tutti-picture-${process.pid}-${Math.trunc(performance.now())}`;
  const tmux = (...args) =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { cwd, encoding: "utf8" });
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const line = ["env", ...variables, ...command]
    .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    .join(" ");
  tmux(
    "new-session",
    "-d",
    "-x",
    String(columns),
    "-y",
    String(rows),
    `trap : INT; ${line}; echo "left with $?"; read x`,
  );
  try {
    for (const [shown, keys] of typed) {
      const deadline = Date.now() + LONGEST_MS;
      while (!shown.test(tmux("capture-pane", "-p"))) {
        if (Date.now() > deadline)
          throw new Error(`${shown} was never shown:\n${tmux("capture-pane", "-p")}`);
        await wait(100);
      }
      if (keys !== undefined) tmux("send-keys", ...(keys.key ? [keys.key] : [keys, "Enter"]));
    }
    return tmux("capture-pane", "-ep");
  } finally {
    tmux("kill-server");
  }
}
