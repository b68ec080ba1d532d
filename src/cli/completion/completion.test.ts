// Completion as shells load it.

import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { createHome, runTutti } from "../../testing/command.ts";
import { hasTmux, openProgram } from "../../testing/tmux.ts";

vi.setConfig({ testTimeout: 60_000 });

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const has = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;

/** A folder with a config, in which `tutti` can be called by its name. */
function createFolder(yaml: string, code?: string) {
  const [cwd, bin] = [createHome(), createHome()];
  writeFileSync(join(cwd, code === undefined ? "tutti.config.yaml" : "tutti.config.mjs"), code ?? yaml);
  writeFileSync(join(bin, "tutti"), `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env.PATH}`, TUTTI_HOME: createHome(), HOME: createHome() };
  return { cwd, env };
}

async function completeIn(
  shell: "bash",
  words: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string[]> {
  const { stdout } = await runTutti(["completion", shell]);
  const line = words.map((word) => `'${word}'`).join(" ");
  const script = `${stdout}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _tutti; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout: found, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8", ...options });
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
    [["tutti", "serve", "--log", "w"], ["warn"]],
  ])("completes %j in bash", async (words, expected) => {
    expect(await completeIn("bash", words)).toEqual(expected);
  });

  it("gives the pools of the folder's config, and no name that a shell would run", async () => {
    const poolsOf = async (yaml: string) =>
      (await runTutti(["completion", "--pools"], { cwd: createFolder(yaml).cwd })).stdout;
    expect(await poolsOf("pools:\n  cheap: [a]\n  strong.1: [a]\n")).toBe("rehearsal\ncheap\nstrong.1\n");
    expect(await poolsOf("pools:\n  $(touch_ran): [a]\n  '`id`': [a]\n")).toBe("rehearsal\n");
    // Code that nobody has trusted is not run by a key press, and nobody is asked.
    const code2 = createFolder("", "import { writeFileSync } from 'node:fs'; writeFileSync('ran', '');");
    const untrusted = await runTutti(["completion", "--pools"], { cwd: code2.cwd });
    expect(untrusted).toMatchObject({ code: 0, stdout: "rehearsal\n", stderr: "" });
    expect(existsSync(join(code2.cwd, "ran"))).toBe(false);
  });

  it.skipIf(!has("bash"))("completes the pools of the folder in bash", async () => {
    const { cwd, env } = createFolder("pools:\n  cheap: [a]\n  strong: [a]\n");
    expect(await completeIn("bash", ["tutti", "ask", "--pool", "ch"], { cwd, env })).toEqual(["cheap"]);
  });

  it.skipIf(!has("fish"))("completes in fish (needs fish)", async () => {
    const { cwd, env } = createFolder("pools:\n  cheap: [a]\n  strong: [a]\n");
    const { stdout } = await runTutti(["completion", "fish"]);
    const file = join(cwd, "tutti.fish");
    writeFileSync(file, stdout);
    const complete = (line: string) => {
      const options = { cwd, env, encoding: "utf8" as const };
      const run = spawnSync("fish", ["-N", "-c", `source ${file}; complete -C '${line}'`], options);
      expect(run.stderr).toBe("");
      return run.stdout
        .split("\n")
        .filter(Boolean)
        .map((found) => found.split("\t")[0]);
    };
    expect(complete("tutti po")).toEqual(["pool"]);
    expect(complete("tutti pool c").sort()).toEqual(["calibrate", "check"]);
    expect(complete("tutti ask --qual")).toEqual(["--quality"]);
    expect(complete("tutti ask --quality ")).toEqual(expect.arrayContaining(["economy", "max"]));
    expect(complete("tutti ask --pool ch")).toEqual(["cheap"]);
  });

  it.skipIf(!(has("zsh") && hasTmux))("completes in zsh, at its prompt (needs zsh and tmux)", async () => {
    const { cwd, env } = createFolder("quality: high\n");
    const { stdout } = await runTutti(["completion", "zsh"]);
    writeFileSync(join(cwd, "tutti.zsh"), stdout);
    const shell = openProgram("zsh -f -i", { ...env, PS1: "ready> " }, cwd);
    try {
      await shell.shows(/ready>/);
      shell.keys("source ./tutti.zsh && echo loaded", "Enter");
      await shell.shows(/^loaded$/m);
      shell.keys("tutti po", "Tab");
      await shell.shows(/ready> tutti pool/);
      shell.keys("C-u", "tutti ask --qual", "Tab");
      await shell.shows(/ready> tutti ask --quality/);
    } finally {
      shell.close();
    }
  });

  it("says the nearest shell for a wrong one", async () => {
    const { code, stderr } = await runTutti(["completion", "bsh"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/bash, zsh or fish, not "bsh"\. Did you mean "bash"\?/);
  });
});
