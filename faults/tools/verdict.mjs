// The verdict on a fault, from three books: the journal in Postgres, the provider's own bill, and what the clients were told.
import { judgeBills } from "../../attack/tools/ledger.mjs";

const REPLY = /^reply-(\d+) /;

/** After everything has settled. */
export async function judge(scene, clients) {
  const runs = await readRuns(scene);
  const calls = await scene.stage.provider.calls();
  const bills = judgeBills(scene.keys, await scene.stage.provider.bill(), await scene.stage.journaled());
  const known = new Set(runs.map(({ id }) => toTail(id)));
  const promised = clients.promised.filter(({ id }) => !known.has(toTail(id)));
  const open = runs.filter(({ ended }) => !ended);
  const twice = [...findPaidTwice(runs, calls), ...findRelayedTwice(clients.relayed, calls)];
  const { told } = clients;
  const figures = {
    requests: told.asked,
    answered: told.answered,
    cut: told.cut,
    streamsCut: told.streamsCut,
    refused: told.refused,
    runs: runs.length,
    ...countResumes(runs),
    endings: countEndings(runs),
    calls: calls.length,
    relayedOnce: clients.relayed.length,
    finishedSteps: runs.reduce((sum, { events }) => sum + events.filter(isStepEnd).length, 0),
    lost: open.length + promised.length,
    paidTwice: twice.length,
    unanswered: told.neither.length,
    overspentUsd: bills.overspentUsd,
    unjournaledUsd: bills.unjournaledUsd,
    billedUsd: bills.billedUsd,
  };
  const problems = [
    ...open.map(({ id, events }) => toLostLine(id, events)),
    ...promised.map(({ id }) => `response ${id} was promised and is in no journal`),
    ...twice,
    ...told.neither,
    ...bills.problems,
  ];
  return { figures, problems };
}

function toLostLine(id, events) {
  const resumes = events.filter(({ type }) => type === "run-resume").length;
  const last = events.slice(-3).map(({ type }) => type);
  return `run ${id} never ended, gone on with ${resumes} times, at last: ${last}`;
}

/** All that the figures of several faults have in common. */
export function toResult({ figures, problems }, tries, more = "") {
  const { requests, answered, cut, lost, paidTwice, unanswered, overspentUsd } = figures;
  return {
    tries,
    ok: problems.length === 0,
    result:
      `${more}${requests} requests, ${answered} answered, ${cut} connections cut; runs lost ${lost}, finished steps paid twice ` +
      `${paidTwice}, neither answered nor told why ${unanswered}, overspent $${overspentUsd.toFixed(2)}`,
    details: { figures, problems },
  };
}

async function readRuns(scene) {
  const rows = await scene.query("SELECT run, json FROM tutti.events ORDER BY seq");
  const ended = await scene.query("SELECT id, ended FROM tutti.runs WHERE parent IS NULL");
  const events = new Map(ended.map(({ id }) => [id, []]));
  for (const { run, json } of rows) events.get(run)?.push(...[JSON.parse(json)].flat());
  return ended.map(({ id, ended: endedAt }) => ({ id, ended: endedAt !== null, events: events.get(id) }));
}

/**
 * A step that has a reply in the journal is begun no more; no call was made that the journal does not know; and of one question
 * the provider was asked nothing again that it had answered and that was journaled.
 */
function findPaidTwice(runs, calls) {
  const problems = [];
  const byQuestion = new Map();
  for (const call of calls) {
    const name = `${call.mark} ${call.question}`;
    byQuestion.set(name, [...(byQuestion.get(name) ?? []), call]);
  }
  for (const { id, events } of runs) {
    const done = new Set();
    const finished = [];
    let begun = 0;
    let plansBegun = 0;
    for (const event of events) {
      const step = `${event.round}.${event.step}`;
      if (event.type === "step-start" && done.has(step))
        problems.push(`${id}: step ${step} was begun after its end`);
      if (event.type === "plan-start" && done.has(`plan ${event.round}`))
        problems.push(`${id}: plan ${event.round} was begun after its end`);
      if (event.type === "step-start") begun++;
      if (event.type === "plan-start") plansBegun++;
      if (isStepEnd(event)) done.add(step);
      if (event.type === "plan-end" && event.decision?.kind === "workflow") done.add(`plan ${event.round}`);
      const serial = isStepEnd(event) && REPLY.exec(event.reply?.text ?? "")?.[1];
      if (serial) finished.push(Number(serial));
    }
    const asked = byQuestion.get(toQuestion(events)) ?? [];
    const plans = asked.filter(({ isPlan }) => isPlan).length;
    if (asked.length - plans > begun)
      problems.push(`${id}: ${asked.length - plans} calls for ${begun} that were begun`);
    if (plans > plansBegun) problems.push(`${id}: ${plans} plans asked for ${plansBegun} that were begun`);
    for (const serial of finished) {
      const first = asked.find((call) => call.serial === serial);
      const again = asked.find((call) => call.model === first?.model && !call.isPlan && call.serial > serial);
      if (first && again) problems.push(`${id}: reply ${serial} was paid for, and again as ${again.serial}`);
    }
  }
  return problems;
}

/** A client that was answered, and whose named request was sent to the provider once more after that reply. */
function findRelayedTwice(relayed, calls) {
  return relayed.flatMap(({ name, text, serial }) => {
    if (!Number.isInteger(serial)) return [`a relayed reply to ${text} is not the provider's`];
    const again = calls.find(
      (call) => call.mark === name && text.includes(call.question) && call.serial > serial,
    );
    return again ? [`relayed reply ${serial} was paid for, and again as ${again.serial}`] : [];
  });
}

/** How the runs that others went on with had been left. */
function countResumes(runs) {
  const counts = { resumed: 0, leftInACall: 0, leftBetweenCalls: 0 };
  for (const { events } of runs) {
    const open = new Set();
    for (const event of events) {
      const call = `${event.type.split("-")[0]} ${event.round}.${event.step}`;
      if (/^(step|plan)-start$/.test(event.type)) open.add(call);
      if (/^(step|plan)-(end|error)$/.test(event.type)) open.delete(call);
      if (event.type !== "run-resume") continue;
      counts.resumed++;
      counts[open.size > 0 ? "leftInACall" : "leftBetweenCalls"]++;
    }
  }
  return counts;
}

function countEndings(runs) {
  const counts = {};
  for (const { events } of runs) {
    const end = events.findLast(({ type }) => type === "run-end");
    const name = end ? [end.stopReason, end.error?.code].filter(Boolean).join(": ") : "none";
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const isStepEnd = ({ type }) => type === "step-end";
/** What the id of a run and that of its response have in common. */
const toTail = (id) => id.replace(/^[a-z]+_/, "");

function toQuestion([start]) {
  const text = JSON.stringify(start?.task?.messages ?? "");
  return `${/bill-to-([\w-]+)\./.exec(text)?.[1]} ${/Question \d+ of kind \w+/.exec(text)?.[0]}`;
}
