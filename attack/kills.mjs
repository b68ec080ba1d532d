// The gateway is killed (SIGKILL) at random moments while it serves streamed teams, one model passed through, and
// background responses, always on the same journal. After each start: it answers, and what was finished is still there.
// At the end: no finished step was asked again, no background run hangs, and money is right.
import { setTimeout as wait } from "node:timers/promises";
import { parse } from "./tools/http.mjs";
import { judgeBills, usd } from "./tools/ledger.mjs";
import { createRandom } from "./tools/random.mjs";
import { openStage, question } from "./tools/stage.mjs";

const KILLS = 50;
const SEED = 14;
const LATEST_KILL_MS = 700;
const TEAM = { pool: "fake/plain,fake/slow,fake/planner" };
const FINAL_MS = 40_000;
const OVER = ["completed", "failed", "cancelled", "incomplete"];

export default { name: "kills", what: "lose or double work and money by SIGKILL", tries: KILLS, run };

async function run() {
  const stage = await openStage({ config: { timeouts: { stepMs: 20_000 } } });
  const random = createRandom(SEED);
  const keys = [];
  for (const [name, budgetUsd] of Object.entries({ wide: 40, tight: 0.6 })) {
    const { id, secret } = await stage.createKey({ name, budget: { usd: budgetUsd, window: "total" } });
    keys.push({ name, id, secret, budgetUsd });
  }
  const state = { stage, random, keys, finished: new Map(), background: new Map(), problems: [], asked: 0 };
  let interrupted = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const requests = begin(state, kill);
    await wait(random.integer(5, LATEST_KILL_MS));
    await stage.gateway.kill();
    const replies = await Promise.all(requests);
    interrupted += replies.filter(({ status, error }) => status === 0 || error).length;
    stage.gateway = await stage.start();
    const { ok } = await stage.gateway.health();
    if (!ok) state.problems.push(`kill ${kill}: /health does not answer`);
    await look(state, kill);
  }
  await finish(state);
  await stage.settle();
  const verdict = judgeBills(keys, await stage.provider.bill(), await stage.journaled());
  const calls = await stage.provider.calls();
  const repeated = countRepeated(state, calls);
  if (repeated > 0) state.problems.push(`${repeated} finished steps were asked again`);
  await stage.close();
  const problems = [...state.problems, ...verdict.problems];
  return {
    tries: KILLS,
    ok: problems.length === 0,
    result:
      `${state.asked} requests, ${interrupted} cut by a kill; ${state.finished.size} finished steps, ${repeated} asked again; ` +
      `${state.background.size} background runs; ${usd(verdict.overspentUsd)} overspent, ${usd(verdict.unjournaledUsd)} not journaled` +
      (problems.length > 0 ? `; ${problems.length} problems, first: ${problems[0]}` : ""),
    details: { seed: SEED, problems, rows: verdict.rows },
  };
}

/** One of each kind, for both keys. Nobody waits for them yet. */
function begin(state, kill) {
  const { stage, random, keys, background } = state;
  const requests = keys.flatMap(({ name, secret }) => {
    const text = (kind) => question(name, `Question ${kill} of kind ${kind}: what is it?`);
    const messages = (kind) => [{ role: "user", content: text(kind) }];
    const ask = (path, body, headers) => stage.ask(path, { key: secret, body, headers });
    const idempotencyKey = `${name}-${kill}`;
    const response = ask(
      "/v1/responses",
      { model: "tutti", input: text("background"), background: true, tutti: TEAM },
      { "idempotency-key": idempotencyKey },
    ).then((reply) => {
      const id = parse(reply.text)?.id;
      if (reply.status === 200 && id) background.set(id, { secret, kill });
      return reply;
    });
    return [
      response,
      ask("/v1/chat/completions", { model: "tutti", stream: true, messages: messages("team"), tutti: TEAM }),
      ask("/v1/messages", { model: "tutti", max_tokens: 500, messages: messages("messages"), tutti: TEAM }),
      ask("/v1/chat/completions", {
        model: "fake/slow",
        stream: true,
        max_tokens: 500,
        messages: messages("relay"),
      }),
      ask("/v1/chat/completions", {
        model: random.pick(["fake/slow", "fake/reason"]),
        max_tokens: 500,
        messages: messages("whole"),
      }),
      ask("/v1/messages", {
        model: "claude/reason",
        max_tokens: 500,
        stream: true,
        messages: messages("claude"),
      }),
    ];
  });
  state.asked += requests.length;
  return requests;
}

/** Reads have a rate: whoever is told to wait does. */
async function load(stage, id) {
  for (;;) {
    const { status, text } = await stage.ask(`/v1/runs/${id}`);
    if (status !== 429) return parse(text);
    await wait(200);
  }
}

/** What is finished after a start: it must stay so. */
async function look({ stage, finished, problems }, kill) {
  const list = await stage.ask("/v1/runs?limit=60");
  const runs = parse(list.text)?.data;
  if (!runs) return void problems.push(`kill ${kill}: the journal cannot be read: ${list.status}`);
  for (const { id } of runs) {
    const run = await load(stage, id);
    for (const { round, step, state, reply } of run?.steps ?? []) {
      const serial = /^reply-(\d+) /.exec(reply)?.[1];
      const name = `${id} ${round}.${step}`;
      if (state !== "done" || serial === undefined) continue;
      const known = finished.get(name);
      if (!known) finished.set(name, { serial: Number(serial), seenAt: Date.now(), id });
      else if (known.serial !== Number(serial)) problems.push(`${name} was finished and is another one now`);
    }
  }
}

/** Every background run goes on to its end or is told to be interrupted; every finished step is still there. */
async function finish({ stage, background, finished, problems }) {
  const until = performance.now() + FINAL_MS;
  const open = new Map(background);
  while (open.size > 0 && performance.now() < until) {
    for (const [id, { secret }] of [...open]) {
      const reply = await stage.ask(`/v1/responses/${id}`, { key: secret });
      const { status } = parse(reply.text) ?? {};
      if (OVER.includes(status)) open.delete(id);
      else if (reply.status === 404) {
        problems.push(`the background response ${id} is lost`);
        open.delete(id);
      }
    }
    await wait(200);
  }
  for (const id of open.keys()) problems.push(`the background response ${id} never ended`);
  for (const [name, { serial, id }] of finished) {
    const [, place] = name.split(" ");
    const run = await load(stage, id);
    const step = run?.steps?.find((each) => `${each.round}.${each.step}` === place);
    if (!step?.reply.startsWith(`reply-${serial} `)) problems.push(`${name} was finished and is lost`);
  }
}

/** A step that was seen finished must not be sent again: no workflow here asks the same model twice. */
function countRepeated({ finished }, calls) {
  const bySerial = new Map(calls.map((call) => [call.serial, call]));
  const isSame = (a, b) => a.mark === b.mark && a.question === b.question && a.model === b.model;
  let repeated = 0;
  for (const { serial, seenAt } of finished.values()) {
    const first = bySerial.get(serial);
    const isAgain = (call) => !call.isPlan && call.at > seenAt && isSame(call, first);
    if (first?.question && calls.some(isAgain)) repeated++;
  }
  return repeated;
}
