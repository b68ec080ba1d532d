// Attempts that are not about one field of a request: leaving early, many at once, two gateways, kills, a full disk, a
// journal that is taken away, a window's border, a revoked key. Each gives the keys it used and how often it tried.
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { repeat } from "../tools/http.mjs";
import { chat, openStage } from "../tools/stage.mjs";
import { HONEST } from "./requests.mjs";

const CHAT = "/v1/chat/completions";
const DAY_MS = 86_400_000;
const key = async (stage, name, usd, window = "total") => {
  const made = await stage.createKey({ name, budget: { usd, window } });
  return { name, id: made.id, secret: made.secret, budgetUsd: usd };
};
const body = (name, i, more = {}) => chat("fake/reason", name, { max_tokens: 4_000, seed: i, ...more });

/** Leaves at every stage: before the first byte, with it, in the middle; streamed and not; one model and a team. */
export async function leaveEarly(stage) {
  const one = await key(stage, "leaves-early", 0.5);
  const team = await key(stage, "leaves-a-team", 0.5);
  const moments = [0, 1, 2, 5, 10, 20, 40, 80, 150, 300];
  await repeat(40, 4, async (i) => {
    const abortAfterMs = moments[i % moments.length];
    const model = i % 3 === 0 ? "fake/reason" : "fake/slow";
    const request = body(one.name, i, { model, stream: i % 2 === 0 });
    await stage.ask(CHAT, { key: one.secret, body: request, abortAfterMs });
  });
  await repeat(10, 2, (i) =>
    stage.ask(CHAT, {
      key: one.secret,
      body: body(one.name, i, { model: "fake/slow", stream: true }),
      abortOnData: true,
    }),
  );
  await repeat(20, 4, (i) =>
    stage.ask(CHAT, {
      key: team.secret,
      body: chat("tutti", team.name, {
        seed: i,
        stream: i % 2 === 0,
        tutti: { pool: "fake/slow,fake/reason,fake/planner" },
      }),
      abortAfterMs: moments[i % moments.length] * 2,
    }),
  );
  return { keys: [one, team], tries: 70 };
}

export async function manyAtOnce(stage) {
  const one = await key(stage, "64-at-once", 1);
  const mixed = await key(stage, "teams-at-once", 1);
  await repeat(64, 64, (i) => stage.ask(CHAT, { key: one.secret, body: body(one.name, i) }));
  const models = ["tutti", "tutti-fast", "fake/reason", "claude/reason"];
  await repeat(32, 32, (i) =>
    stage.ask(CHAT, {
      key: mixed.secret,
      body: chat(models[i % 4], mixed.name, { seed: i, max_tokens: 4_000 }),
    }),
  );
  return { keys: [one, mixed], tries: 96 };
}

/** Two gateways on one journal, the same key at both, at the same time. */
export async function twoGateways(stage) {
  const one = await key(stage, "two-gateways", 0.5);
  const other = await stage.start();
  await wait(1_100); // The other one looks at the keys once a second.
  const gateways = [stage.gateway, other];
  await repeat(40, 40, (i) =>
    stage.ask(CHAT, {
      key: one.secret,
      body: body(one.name, i, { model: i % 4 < 2 ? "fake/slow" : "fake/reason" }),
      gateway: gateways[i % 2],
    }),
  );
  await repeat(8, 8, (i) =>
    stage.ask(CHAT, {
      key: one.secret,
      body: chat("tutti-fast", one.name, { seed: i }),
      gateway: gateways[i % 2],
    }),
  );
  await other.end();
  return { keys: [one], tries: 48 };
}

/** The gateway dies with work under way, again and again, and is asked on. */
export async function killed(stage) {
  const one = await key(stage, "killed", 0.5);
  for (let round = 0; round < 4; round++) {
    const asked = repeat(6, 6, (i) => {
      const model = i % 3 === 0 ? "tutti" : "fake/slow";
      return stage.ask(CHAT, {
        key: one.secret,
        body: body(one.name, `${round}-${i}`, { model, seed: i, stream: i % 2 === 0, user: `${round}` }),
      });
    });
    await wait(60 + 70 * round);
    await stage.gateway.kill();
    await asked;
    stage.gateway = await stage.start();
  }
  await repeat(6, 2, (i) => stage.ask(CHAT, { key: one.secret, body: body(one.name, i) }));
  return { keys: [one], tries: 30 };
}

export async function revoked(stage) {
  const one = await key(stage, "revoked", 0.5);
  const asked = repeat(12, 6, (i) =>
    stage.ask(CHAT, { key: one.secret, body: body(one.name, i, { model: "fake/slow" }) }),
  );
  await wait(100);
  await stage.ask(`/v1/keys/${one.id}`, { method: "DELETE" });
  await asked;
  return { keys: [one], tries: 12 };
}

/** A stream that does not end, whatever limit the request names: it must be cut here. */
export async function endless(stage) {
  const one = await key(stage, "endless", 1);
  const request = { max_tokens: 100, stream: true };
  await repeat(4, 2, (i) =>
    stage.ask(CHAT, { key: one.secret, body: body(one.name, i, { ...request, model: "fake/endless" }) }),
  );
  await repeat(2, 2, (i) =>
    stage.ask(CHAT, {
      key: one.secret,
      body: chat("tutti-fast", one.name, { ...request, seed: i, tutti: { pool: "fake/endless" } }),
    }),
  );
  const calls = await stage.provider.calls();
  const whole = calls.filter(({ model, isServed }) => model.includes("endless") && isServed).length;
  return {
    keys: [one],
    tries: 6,
    problems: whole > 0 ? [`${whole} endless streams were read to their end`] : [],
  };
}

/** Ordinary requests of a key with a budget are answered. */
export async function honest(stage) {
  const one = await key(stage, "honest", 1);
  let served = 0;
  await repeat(6, 2, async (i) => {
    const { status } = await stage.ask(CHAT, {
      key: one.secret,
      body: { ...HONEST.toBody(one.name), seed: i },
    });
    if (status === 200) served++;
  });
  return {
    keys: [one],
    tries: 6,
    problems: served < 6 ? [`${6 - served} honest requests were refused`] : [],
  };
}

// ---- With a stage of their own ------------------------------------------------------------------

/** A disk that is full: no file of the gateway may grow beyond this. Then there is room again. */
export async function fullDisk(provider) {
  const stage = await openStage({ provider });
  const one = await key(stage, "full-disk", 0.5);
  await stage.gateway.end();
  stage.gateway = await stage.start({ limitFileKb: 240 });
  await repeat(40, 4, (i) =>
    stage.ask(CHAT, { key: one.secret, body: body(one.name, i, { max_tokens: 1_500 }) }),
  );
  await repeat(6, 2, (i) =>
    stage.ask(CHAT, { key: one.secret, body: chat("tutti-fast", one.name, { seed: i }) }),
  );
  await stage.gateway.kill();
  stage.gateway = await stage.start();
  await repeat(4, 2, (i) => stage.ask(CHAT, { key: one.secret, body: body(one.name, `a${i}`) }));
  return { stage, keys: [one], tries: 50 };
}

/** `how`: the journal is deleted, or another file takes its place, while the gateway runs. */
export async function journalGone(provider, how) {
  const stage = await openStage({ provider });
  const one = await key(stage, `journal-${how}`, 0.5);
  const file = join(stage.home, "journal.db");
  const request = (i) => stage.ask(CHAT, { key: one.secret, body: body(one.name, i, { max_tokens: 1_500 }) });
  if (how === "replaced") copyFileSync(file, `${file}.early`);
  await repeat(6, 2, request);
  for (const end of ["-wal", "-shm", ""]) rmSync(`${file}${end}`, { force: true });
  if (how === "replaced") copyFileSync(`${file}.early`, file);
  if (how === "damaged") writeFileSync(file, "this is no journal");
  await repeat(40, 4, (i) => request(`b${i}`));
  // What is not in the journal any more cannot be told: the budget is what must hold.
  return { stage, keys: [one], tries: 46, isJournalLost: true };
}

/** Requests over the last moments of one day and the first ones of the next: two windows, two budgets, no more. */
export async function windowBorder(provider) {
  const midnight = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
  const stage = await openStage({ provider });
  await stage.gateway.end();
  stage.gateway = await stage.start({ clock: midnight - 2_000 });
  const one = await key(stage, "window-border", 0.5, "day");
  const until = performance.now() + 4_500;
  const tries = await repeat(
    60,
    6,
    async (i) => {
      await stage.ask(CHAT, {
        key: one.secret,
        body: body(one.name, i, { model: "fake/slow", max_tokens: 2_000 }),
      });
      await wait(40);
    },
    { untilMs: until },
  );
  return { stage, keys: [{ ...one, budgetUsd: 1 }], tries };
}
