// Modes under a umask that forbids nothing, by real commands: whatever they leave behind is for its owner alone.

import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const DIST = fileURLToPath(new URL("../../dist/", import.meta.url));

/** Runs Node with these words; `onOutput` may end it. */
function runOpen(cwd: string, words: string[], onOutput?: (text: string, end: () => void) => void) {
  const child = spawn("sh", ["-c", 'umask 000; exec "$@"', "sh", process.execPath, ...words], {
    cwd,
    env: { PATH: process.env.PATH ?? "", TUTTI_HOME: join(cwd, "home"), TUTTI_REHEARSAL_DELAY: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout
    .setEncoding("utf8")
    .on("data", (text: string) => onOutput?.(text, () => child.kill("SIGTERM")));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return new Promise<{ code: number | null; said: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, said }));
  });
}

const tutti = (cwd: string, args: string[], onOutput?: Parameters<typeof runOpen>[2]) =>
  runOpen(cwd, [join(DIST, "cli/main.js"), ...args], onOutput);

const listFiles = (folder: string) => readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();

/** Whatever others may do something with, and its mode. */
function findOpen(folder: string): string[] {
  return listFiles(folder)
    .map((name) => ({ name, stats: statSync(join(folder, name)) }))
    .filter(({ stats }) => (stats.mode & 0o777) !== (stats.isDirectory() ? 0o700 : 0o600))
    .map(({ name, stats }) => `${name} ${(stats.mode & 0o777).toString(8)}`);
}

const newFolder = () => mkdtempSync(join(tmpdir(), "tutti-private-"));

describe.skipIf(process.platform === "win32")("with a umask of 000", () => {
  it("commands leave nothing for others: journal, keys, measurements, recordings, benches", async () => {
    const cwd = newFolder();
    const commands = [
      ["ask", "--pool", "rehearsal", "What is 2 + 2?"],
      ["keys", "create", "--name", "me"],
      ["pool", "calibrate", "--pool", "rehearsal"],
      ["record", "rehearsal", "--limit", "2", "--out", "made/recording"],
      ["bench", "--rehearsal", "--limit", "20", "--conductor", "best-single", "--out", "made/bench"],
      ["rl", "export", "--engine", "openrlhf", "--train", "2", "--test", "2", "--out", "made/export"],
    ];
    for (const args of commands) expect(await tutti(cwd, args), args.join(" ")).toMatchObject({ code: 0 });
    expect(findOpen(cwd)).toEqual([]);
    expect(listFiles(cwd)).toEqual(
      expect.arrayContaining([
        "home/journal.db",
        "home/keys.json",
        "made/recording/outcomes.jsonl",
        "made/bench/rows.jsonl",
      ]),
    );
  }, 240_000);

  it("a home that an earlier version left open is closed by the next command, said once", async () => {
    const cwd = newFolder();
    expect(await tutti(cwd, ["keys", "create", "--name", "me"])).toMatchObject({ code: 0 });
    chmodSync(join(cwd, "home"), 0o755);
    expect((await tutti(cwd, ["keys"])).said).toContain(`Closed ${join(cwd, "home")} to other users`);
    expect(statSync(join(cwd, "home")).mode & 0o777).toBe(0o700);
    expect((await tutti(cwd, ["keys"])).said).toBe("");
  });

  it("a journal in use has its log and index for its owner alone, and so have rollouts", async () => {
    const cwd = newFolder();
    let names: string[] = [];
    let open: string[] | undefined;
    const look = (_text: string, end: () => void) => {
      names = listFiles(cwd);
      open = findOpen(cwd);
      end();
    };
    await tutti(cwd, ["serve", "--port", "0", "--json", "--log", "off"], look);
    expect(names).toEqual(expect.arrayContaining(["home/journal.db-shm", "home/journal.db-wal"]));
    expect(open).toEqual([]);
    await tutti(cwd, ["rl", "serve", "--port", "0", "--json", "--log", "off"], look);
    expect(names.filter((name) => name.endsWith("rollouts.jsonl"))).toHaveLength(1);
    expect(open).toEqual([]);
  });

  it("a training keeps its folder, its curves and its checkpoints to itself", async () => {
    const cwd = newFolder();
    const script = `
      const { openTrainingFolder } = await import(${JSON.stringify(join(DIST, "learn/folder.js"))});
      const { saveState } = await import(${JSON.stringify(join(DIST, "learn/state.js"))});
      const { openReplyCache } = await import(${JSON.stringify(join(DIST, "world/live/reply-cache.js"))});
      const folder = openTrainingFolder("trainings/one");
      folder.describe({ world: "w", startedAt: 0, state: "running" });
      folder.append({ type: "sample", iteration: 0 });
      folder.keepResults([]);
      const state = { name: "n", iteration: 0, secondsOfFirst: [] };
      await saveState(folder.checkpoint, state, { tensors: new Map(), values: {} });
      (await openReplyCache("trainings/one/replies.jsonl")).close();`;
    expect(await runOpen(cwd, ["--input-type=module", "-e", script])).toEqual({ code: 0, said: "" });
    const files = [
      "checkpoint/latest.json",
      "replies.jsonl",
      "results.json",
      "samples.jsonl",
      "training.json",
      "training.lock",
    ];
    expect(listFiles(cwd)).toEqual(expect.arrayContaining(files.map((name) => `trainings/one/${name}`)));
    expect(findOpen(cwd)).toEqual([]);
  });
});
