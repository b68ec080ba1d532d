// Completion as shells load it.

import { spawnSync } from "node:child_process";
import { describe, expect, it, vi } from "vitest";
import { runTutti } from "../../testing/command.ts";
import { SHELLS } from "./scripts.ts";

vi.setConfig({ testTimeout: 60_000 });

const has = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;

async function completeIn(shell: "bash", words: string[]): Promise<string[]> {
  const { stdout } = await runTutti(["completion", shell]);
  const line = words.map((word) => `'${word}'`).join(" ");
  const script = `${stdout}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _tutti; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout: found, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  expect(stderr).toBe("");
  return found.split("\n").filter(Boolean);
}

describe("tutti completion", () => {
  it.skipIf(!has("bash")).each([
    [["tutti", "po"], ["pool"]],
    [
      ["tutti", "pool", "c"],
      ["check", "calibrate"],
    ],
    [["tutti", "ask", "--qual"], ["--quality"]],
    [
      ["tutti", "ask", "--quality", ""],
      ["economy", "balanced", "high", "max"],
    ],
    [["tutti", "ask", "--quality", "m"], ["max"]],
    [["tutti", "ask", "hello", "--conductor", "na"], ["native"]],
    [["tutti", "ask", "--pool", "re"], ["rehearsal"]],
    [["tutti", "serve", "--log", "w"], ["warn"]],
  ])("completes %j in bash", async (words, expected) => {
    expect(await completeIn("bash", words)).toEqual(expected);
  });

  it.each(SHELLS.filter((shell) => shell !== "bash"))("is a script that %s can read", async (shell) => {
    const { stdout, code } = await runTutti(["completion", shell]);
    expect(code).toBe(0);
    expect(stdout).toContain("quality");
    // Where the shell is not installed, nothing can run its script: only that it is there is shown.
    if (has(shell)) expect(spawnSync(shell, ["-n"], { input: stdout }).status).toBe(0);
  });

  it("says the nearest shell for a wrong one", async () => {
    const { code, stderr } = await runTutti(["completion", "bsh"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/bash, zsh or fish, not "bsh"\. Did you mean "bash"\?/);
  });
});
