// npm run screenshots: the pictures of README and docs, taken from the dashboard as it is. A gateway on the rehearsal
// in a home of its own, a real browser, a question, a training; pictures go to docs/images. Takes about ten minutes;
// with -- --training FOLDER the training is one that was made before, which has learned more; -- --terminals takes the
// pictures of terminals alone (needs tmux, and half a minute).
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { createJiti } from "jiti";
import { chromium } from "playwright-core";
import { captureTerminal } from "./terminal/capture.mjs";
import { toPng, toTerminalSvg } from "./terminal-picture.mjs";

const { browserPath, serve, noBrowser } = await createJiti(import.meta.url).import("../web/e2e/browser.ts");

const ROOT = resolve(import.meta.dirname, "..");
const OUT = join(ROOT, "docs/images");
const MOST_BYTES = 300_000;
const QUESTION =
  "A rectangular garden of 25 m by 8 m is surrounded by a path 2 m wide. Paving costs 25 dollars a square metre. How many dollars does paving the path cost?";
const ANSWER = "3700";
const OTHERS = [
  "What is the capital of France?",
  "How many protons does an atom of fluorine have?",
  "Solve for t: 7t − 32 = 3t + 4.",
  "Start on 20 October 2025 and go 61 days forward. What is the date?",
  "How many metres per second are 117 kilometres per hour?",
  "Fencing costs 18 dollars a metre. What does a fence around a rectangle of 24 m by 6 m cost in dollars?",
];

/** Simulated, so that anybody can take the picture again. */
const BENCH = "bench --rehearsal --conductor best-single,vote-3,router,trinity --per-month 50000".split(" ");

if (browserPath === undefined) {
  console.error(noBrowser);
  process.exit(1);
}
const { values: flags } = parseArgs({
  options: { training: { type: "string" }, terminals: { type: "boolean" } },
});
await takeTerminals();
if (flags.terminals) process.exit();
const home = mkdtempSync(join(tmpdir(), "tutti-screenshots-"));
if (flags.training !== undefined)
  cpSync(flags.training, join(home, "trainings", "rehearsal"), { recursive: true });
const gateway = spawn(
  process.execPath,
  [join(ROOT, "dist/cli/main.js"), "serve", "--port", "0", "--log", "off", "--json"],
  {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TUTTI_HOME: home, TUTTI_REHEARSAL_DELAY: "1.5" },
    stdio: ["ignore", "pipe", "ignore"],
  },
);
const server = await serve();
const browser = await chromium.connect(server.wsEndpoint());

try {
  const url = await readUrl();
  mkdirSync(OUT, { recursive: true });
  if (flags.training === undefined)
    await send(url, "v1/trainings", { iterations: 100, seed: 1, size: "usual" });
  for (const content of OTHERS) await ask(url, content);

  const light = await open("light");
  const run = await untilRight(
    () => takeAsk(light, url),
    (run) => run.answer.includes(ANSWER),
  );
  const dark = await open("dark");
  await dark.goto(`${url}/#/runs/${run.id}`);
  await dark.getByRole("heading", { name: "Where the time went" }).waitFor();
  // The graph is loaded after the rest of the page.
  await dark.locator(".step-node").last().waitFor();
  await dark.waitForTimeout(600);
  await take(dark, "run.png");

  await light.goto(`${url}/#/pool`);
  await light.getByRole("heading", { name: "What they can do, by topic" }).waitFor();
  await take(light, "pool.png", 1_000);

  await trained(url);
  await light.goto(`${url}/#/learn`);
  await light.getByRole("img", { name: /^Reward/ }).waitFor();
  await take(light, "learn.png", 1_000);
} finally {
  await browser.close();
  await server.close();
  gateway.kill("SIGTERM");
  await new Promise((done) => gateway.once("exit", done));
  rmSync(home, { recursive: true, force: true });
}

/** The question while it is answered; the run when it is over. */
async function takeAsk(page, url) {
  await page.goto("about:blank");
  await page.goto(`${url}/`);
  await page.getByLabel("Your question").fill(QUESTION);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.locator(".step-node").nth(1).waitFor();
  await page.locator(".step-node.done").first().waitFor();
  await page.locator(".step-node.running").first().waitFor();
  // It has begun to write, unless it was too quick for us.
  const text = page.locator(".step-node.running .step-text", { hasText: /\w{3}/ }).first();
  await text.waitFor({ timeout: 3_000 }).catch(() => {});
  await take(page, "ask.png");
  await page.getByRole("link", { name: "Open the run" }).waitFor({ timeout: 120_000 });
  const [run] = (await read(url, "v1/runs")).data;
  return read(url, `v1/runs/${run.id}`);
}

/** A command on a terminal of its own, in a home of its own. */
async function takeTerminals() {
  const cwd = mkdtempSync(join(tmpdir(), "tutti-terminal-"));
  try {
    mkdirSync(OUT, { recursive: true });
    const chat = await untilRight(
      () =>
        captureTerminal({
          command: [process.execPath, join(ROOT, "dist/cli/main.js"), "chat", "--pool", "rehearsal"],
          env: { HOME: cwd, TUTTI_HOME: cwd, TUTTI_REHEARSAL_DELAY: "0.3" },
          cwd,
          columns: 96,
          rows: 48,
          typed: [
            [/^› *$/m, "What is 17 * 23?"],
            [/session .* run r_\w+/, "What is the capital of France?"],
            [/session .* run r_\w+[\s\S]*session .* run r_\w+/, "/cost"],
            [/2 answers/],
          ],
        }),
      (screen) => /Answer: 391[\s\S]+Answer: Paris/.test(screen),
    );
    await keepPicture("chat.png", toTerminalSvg(chat, { columns: 96, title: "tutti chat" }));
    const bench = await captureTerminal({
      command: [process.execPath, join(ROOT, "dist/cli/main.js"), ...BENCH],
      env: { HOME: cwd, TUTTI_HOME: cwd },
      cwd,
      columns: 110,
      rows: 40,
      typed: [[/report\.html/]],
    });
    await keepPicture(
      "bench.png",
      toTerminalSvg(bench.replace(/\s*left with \d+\s*$/, ""), {
        columns: 110,
        title: `tutti ${BENCH.join(" ")}`,
      }),
    );
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** Simulated workers err now and then, and a picture is no place for that: takes it again, a few times. */
async function untilRight(capture, isRight) {
  for (let left = 6; ; left--) {
    const taken = await capture();
    if (left === 0 || isRight(taken)) return taken;
  }
}

async function keepPicture(name, svg) {
  const png = await toPng(svg);
  if (png.length > MOST_BYTES) throw new Error(`${name} has ${png.length} bytes, more than ${MOST_BYTES}`);
  writeFileSync(join(OUT, name), png);
  process.stderr.write(`docs/images/${name}, ${Math.round(png.length / 1000)} KB\n`);
}

async function trained(url) {
  const isRunning = async () =>
    (await read(url, "v1/trainings")).data.some(({ state }) => state === "running");
  if (await isRunning()) process.stderr.write("Training: this takes about ten minutes.\n");
  while (await isRunning()) await new Promise((done) => setTimeout(done, 2_000));
}

function open(colorScheme) {
  return browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme });
}

async function take(page, name, height = 800) {
  await page.setViewportSize({ width: 1280, height });
  // Charts are drawn when the page has found its size.
  if (height !== 800) await page.waitForTimeout(600);
  const path = join(OUT, name);
  await page.screenshot({ path });
  const { size } = statSync(path);
  if (size > MOST_BYTES) throw new Error(`${name} has ${size} bytes, more than ${MOST_BYTES}`);
  process.stderr.write(`docs/images/${name}, ${Math.round(size / 1000)} KB\n`);
}

async function readUrl() {
  let text = "";
  for await (const line of createInterface({ input: gateway.stdout })) {
    text += line;
    try {
      return JSON.parse(text).url;
    } catch {
      // The rest of it comes with the next line.
    }
  }
  throw new Error("The gateway did not start: run npm run build first");
}

async function read(url, path) {
  return (await fetch(`${url}/${path}`)).json();
}

async function send(url, path, body) {
  const response = await fetch(`${url}/${path}`, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

function ask(url, content) {
  return send(url, "v1/chat/completions", { model: "tutti", messages: [{ role: "user", content }] });
}
