// `tutti chat`, piped and on a real terminal, over real HTTP.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHome, runTutti } from "../../testing/command.ts";
import type { ChatServer } from "../../testing/gateway/chat-server.ts";
import { startTalkingModels } from "../../testing/gateway/talking-models.ts";

let server: ChatServer;
beforeAll(async () => {
  server = await startTalkingModels();
});
afterAll(() => server.close());

const envFor = (home: string) => ({
  TUTTI_HOME: home,
  OPENAI_API_KEY: "a key for a test",
  OPENAI_BASE_URL: server.baseUrl,
  OPENAI_MODEL: "good,slow,failing,thinking,chatty",
});
const talk = (lines: string[], flags: string[] = [], home = createHome()) =>
  runTutti(["chat", "--allow-unknown-price", ...flags], {
    env: envFor(home),
    stdin: lines.map((line) => `${line}\n`).join(""),
  });

describe("a conversation that is piped", () => {
  it("puts answers on standard output, each with what was said before", async () => {
    const { code, stdout } = await talk(["One?", "Two \\", "and three?"], ["--model", "good", "--quiet"]);
    expect(stdout).toBe("**Good** reply to message 1.\n**Good** reply to message 3.\n");
    expect(code).toBe(0);
    const sent = server.requests.at(-1)!.messages.at(-1)!;
    expect(sent).toEqual({ role: "user", content: "Two \nand three?" });
  });

  it("goes on in another process, and by ask", async () => {
    const home = createHome();
    await talk(["One?"], ["--model", "good", "--system", "Be brief."], home);
    const { stdout } = await talk(["Two?"], ["--model", "good", "--continue"], home);
    expect(stdout).toBe("**Good** reply to message 4.\n");
    const asked = await runTutti(
      ["ask", "--continue", "--model", "good", "--allow-unknown-price", "--json", "Three?"],
      { env: envFor(home) },
    );
    expect(JSON.parse(asked.stdout)).toMatchObject({ answer: "**Good** reply to message 6." });
    expect(server.requests.at(-1)!.messages[0]).toEqual({ role: "system", content: "Be brief." });
  });

  it("goes on after an answer that failed, says so at the end, and never shows thinking", async () => {
    const lines = ["One?", "/model thinking", "Two?", "/modle x", "/model thinkng", "/retry"];
    const { code, stdout, stderr } = await talk(lines, ["--model", "failing"]);
    expect(stdout).toBe("Thought through.\nThought through.\n");
    expect(stderr).toContain('there is no command "/modle". Did you mean "/model"?');
    expect(stderr).toMatch(/No worker "thinkng"/);
    expect(stdout + stderr).not.toContain("SECRET");
    expect(code).toBe(1);
  });

  it("saves itself as Markdown, tells its plan and its cost, and keeps to its budget", async () => {
    const home = createHome();
    const file = join(home, "talk.md");
    const lines = ["One?", `/save ${file}`, `/save ${file}`, "/plan", "/cost", "/budget 0", "Two?"];
    const { stderr } = await talk(lines, ["--model", "chatty"], home);
    expect(readFileSync(file, "utf8")).toContain("## Question\n\nOne?\n\nSure! I would be happy to help.");
    expect(stderr).toContain("is there already");
    expect(stderr).toContain("was asked directly, without a plan");
    expect(stderr).toMatch(/Session: {5}.+1 answer/);
    expect(stderr).toMatch(/budget of this session, \$0.*is spent/);
  });

  it("writes a run a line with --json", async () => {
    const { stdout } = await talk(["One?", "Two?"], ["--model", "good", "--json"]);
    const runs = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(runs.map(({ answer }) => answer)).toEqual([
      "**Good** reply to message 1.",
      "**Good** reply to message 3.",
    ]);
    expect(runs[1].continues).toBe(runs[0].id);
  });

  it("with the rehearsal says what it cannot answer in one line, and goes on", async () => {
    const { stdout, stderr } = await runTutti(["chat", "--pool", "rehearsal"], {
      stdin: "What is 17 * 23?\nWrite a haiku\nWhat is 6 * 7?\n",
    });
    expect(stdout).toMatch(/391[\s\S]*42/);
    expect(stderr.split("\n").filter((line) => line.includes("cannot answer this question"))).toHaveLength(1);
    expect(stderr).toContain("simulated");
  });
});

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

describe.skipIf(!hasTmux)("a conversation on a terminal (needs tmux)", () => {
  /** A terminal of its own, ended by its own name. */
  function openTerminal(home: string, flags: string) {
    const socket = `tutti-test-${process.pid}-${Math.trunc(performance.now())}`;
    const tmux = (...args: string[]) =>
      execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
    const variables = Object.entries(envFor(home)).map(([name, value]) => `${name}='${value}'`);
    const command = `env ${variables.join(" ")} ${process.execPath} ${MAIN} chat --allow-unknown-price ${flags}; echo "left with $?"; read x`;
    tmux("new-session", "-d", "-x", "90", "-y", "40", command);
    const shown = () => tmux("capture-pane", "-p", "-S", "-200");
    return {
      keys: (...keys: string[]) => tmux("send-keys", ...keys),
      paste: (text: string) => {
        tmux("set-buffer", text);
        tmux("paste-buffer", "-p");
      },
      resize: (columns: number) => tmux("resize-window", "-x", String(columns)),
      shows: (pattern: RegExp) => expect.poll(shown, { timeout: 20_000, interval: 50 }).toMatch(pattern),
      shown,
      close: () => tmux("kill-server"),
    };
  }

  it("stops an answer at Ctrl-C, keeps what has arrived, and goes on", async () => {
    const terminal = openTerminal(createHome(), "--model slow");
    try {
      await terminal.shows(/One model: slow/);
      terminal.keys("Tell me all", "Enter");
      await terminal.shows(/slowly slowly slowly/);
      terminal.resize(60);
      terminal.keys("C-c");
      await terminal.shows(/Stopped by you\. This is the best answer so far\./);
      terminal.keys("/model good", "Enter");
      await terminal.shows(/good answers alone/);
      terminal.keys("And now?", "Enter");
      // Its stars are drawn, not shown.
      await terminal.shows(/^Good reply to message 3\.$/m);
      terminal.keys("C-d");
      await terminal.shows(/left with 0/);
    } finally {
      terminal.close();
    }
  }, 60_000);

  it("takes pasted lines as one question, finds earlier ones by the arrow, and leaves at the second Ctrl-C", async () => {
    const terminal = openTerminal(createHome(), "--model good");
    try {
      await terminal.shows(/One model: good/);
      terminal.paste("first line\nsecond line");
      await terminal.shows(/second line/);
      terminal.keys("Enter");
      await terminal.shows(/Good reply to message 1\./);
      expect(server.requests.at(-1)!.messages.at(-1)!.content).toBe("first line\nsecond line");
      terminal.keys("Up", "Enter");
      await terminal.shows(/Good reply to message 3\./);
      terminal.keys("C-c");
      await terminal.shows(/Ctrl-C again, or Ctrl-D, leaves/);
      terminal.keys("C-c");
      await terminal.shows(/left with 0/);
    } finally {
      terminal.close();
    }
  }, 60_000);
});
