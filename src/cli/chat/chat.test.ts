// `tutti chat`, piped and on a real terminal, over real HTTP.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHome, runTutti } from "../../testing/command.ts";
import type { ChatServer } from "../../testing/gateway/chat-server.ts";
import { startTalkingModels } from "../../testing/gateway/talking-models.ts";
import { hasTmux, openTerminal } from "../../testing/tmux.ts";

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

  it("reads a system message from a file, and says which one is not there", async () => {
    const home = createHome();
    writeFileSync(join(home, "style.txt"), "Answer like a pirate.\n");
    const { stdout } = await talk(["One?"], ["--model", "good", "--system", `@${join(home, "style.txt")}`]);
    expect(stdout).toBe("**Good** reply to message 2.\n");
    expect(server.requests.at(-1)!.messages[0]).toEqual({ role: "system", content: "Answer like a pirate." });
    const missing = await talk(["One?"], ["--model", "good", "--system", "@nowhere.txt"]);
    expect([missing.code, missing.stdout]).toEqual([2, ""]);
    expect(missing.stderr).toContain("nowhere.txt");
  });

  it("takes --quality and /quality for the questions after it", async () => {
    const lines = ["Compare two sorts.", "/quality max", "Compare two sorts.", "/quality hihg", "/quality"];
    const { stdout, stderr } = await talk(lines, ["--pool", "good,chatty", "--quality", "economy", "--json"]);
    const runs = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(runs.map(({ settings }) => [settings.quality, settings.rounds, settings.limits.usd])).toEqual([
      ["economy", 1, 0.5],
      ["max", 3, 4],
    ]);
    expect(stderr).toContain(
      '/quality must be economy, balanced, high or max, not "hihg". Did you mean "high"?',
    );
    expect(stderr).toMatch(/Quality: max\.[\s\S]+economy +one worker of the cheaper half/);
  });

  it("puts a file into the next question and no other, and waits for a yes where /plan is on", async () => {
    const home = createHome();
    writeFileSync(join(home, "notes.txt"), "The password is swordfish.\n");
    const lines = [
      `/file ${join(home, "notes.txt")}`,
      "/file nowhere.txt",
      "/plan on",
      "Compare two sorts.",
      "no",
      "/plan off",
      "/model good",
      "And now?",
    ];
    const before = server.requests.length;
    const { stderr, stdout } = await talk(lines, ["--pool", "good,chatty", "--conductor", "good"], home);
    expect(stderr).toMatch(/notes\.txt goes with the next question/);
    expect(stderr).toMatch(/nowhere\.txt/);
    expect(stderr).toMatch(/Draft it\./);
    const sent = server.requests.slice(before).map(({ messages }) => JSON.stringify(messages));
    // The plan was refused: nobody but the planner has read the file, and the next question goes without it.
    expect(sent).toHaveLength(2);
    expect(sent[0]).toMatch(/You conduct a team.+swordfish/);
    expect(sent[1]).not.toContain("swordfish");
    expect(stdout).toBe("**Good** reply to message 1.\n");
  });

  it("with the rehearsal says what it cannot answer in one line, and goes on", async () => {
    const { stdout, stderr } = await runTutti(["chat", "--pool", "rehearsal"], {
      stdin: "What is 17 * 23?\nWrite a haiku\nWhat is 6 * 7?\n",
    });
    // Simulated workers err now and then: that two were answered counts, not how well.
    expect(stdout.match(/^Answer: \S+$/gm)).toHaveLength(2);
    expect(stderr.split("\n").filter((line) => line.includes("cannot answer this question"))).toHaveLength(1);
    expect(stderr).toContain("simulated");
  });
});

describe.skipIf(!hasTmux)("a conversation on a terminal (needs tmux)", () => {
  const open = (home: string, flags: string) =>
    openTerminal(`chat --allow-unknown-price ${flags}`, envFor(home));

  it("stops an answer at Ctrl-C, keeps what has arrived, and goes on", async () => {
    const terminal = open(createHome(), "--model slow");
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
      await terminal.shows(/Good reply to message 3\.[\s\S]+\n›/);
      terminal.keys("C-d");
      await terminal.shows(/left with 0/);
    } finally {
      terminal.close();
    }
  }, 90_000);

  it("asks what was typed during an answer after it, and what was half typed waits at the prompt", async () => {
    const terminal = open(createHome(), "--model chatty");
    try {
      await terminal.shows(/One model: chatty[\s\S]+›/);
      // All at once: the lines after the first come while it is answered.
      terminal.keys("One?", "Enter", "/cost", "Enter", "Two?", "Enter", "and a ha");
      await terminal.shows(
        /› One\?[\s\S]+› \/cost\n +Last answer[\s\S]+› Two\?[\s\S]+session[\s\S]+› and a ha *$/m,
      );
      terminal.keys("C-u", "/plan on", "Enter");
      await terminal.shows(/Every plan waits for your yes/);
      terminal.keys("Three?", "Enter");
      await terminal.shows(/yes, no or edit: *$/m);
      terminal.keys("y", "Enter");
      await terminal.shows(/yes, no or edit: y[\s\S]+session[\s\S]+\n› *$/m);
      terminal.keys("C-d");
      await terminal.shows(/left with 0/);
    } finally {
      terminal.close();
    }
  }, 90_000);

  it("shows a plan, waits for y, stops at Ctrl-C, and leaves at the next two", async () => {
    const terminal = open(createHome(), "--pool good,slow --conductor good");
    try {
      await terminal.shows(/A team: 2 models, conducted by good/);
      terminal.keys("/plan on", "Enter");
      await terminal.shows(/Every plan waits for your yes/);
      terminal.keys("Compare two sorts.", "Enter");
      await terminal.shows(/Draft it\.[\s\S]+yes, no or edit/);
      terminal.keys("y", "Enter");
      await terminal.shows(/slowly slowly slowly/);
      terminal.keys("C-c");
      await terminal.shows(/Stopped by you[\s\S]+› *$/m);
      terminal.keys("C-c");
      await terminal.shows(/Ctrl-C again, or Ctrl-D, leaves/);
      terminal.keys("C-c");
      await terminal.shows(/left with 0/);
    } finally {
      terminal.close();
    }
  }, 90_000);

  it("takes pasted lines as one question, finds earlier ones by the arrow, and leaves at the second Ctrl-C", async () => {
    const terminal = open(createHome(), "--model good");
    try {
      await terminal.shows(/One model: good[\s\S]+›/);
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
  }, 90_000);
});
