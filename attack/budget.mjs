// Does a key ever cost more than its budget? Hundreds of attempts, and afterwards the provider's own bill for each key
// beside the key's budget and beside the journal.
import {
  endless,
  fullDisk,
  honest,
  journalGone,
  killed,
  leaveEarly,
  manyAtOnce,
  revoked,
  twoGateways,
  windowBorder,
} from "./budget/flows.mjs";
import { REQUESTS } from "./budget/requests.mjs";
import { repeat } from "./tools/http.mjs";
import { judgeBills, usd } from "./tools/ledger.mjs";
import { openStage } from "./tools/stage.mjs";

const USUAL_TRIES = 6;
const AT_ONCE = 3;
const REQUEST_MS = 8_000;

export default {
  name: "budget",
  what: "spend more than a key's budget, by the provider's own bill",
  tries: 400,
  run,
};

async function run() {
  const stage = await openStage();
  const keys = [];
  const problems = [];
  let tries = 0;
  const lines = Object.entries(REQUESTS);
  await repeat(lines.length, 4, async (at) => {
    const [name, line] = lines[at];
    const budgetUsd = at % 2 === 0 ? 0.5 : 1;
    const { id, secret } = await stage.createKey({ name, budget: { usd: budgetUsd, window: "total" } });
    keys.push({ name, id, budgetUsd });
    tries += await repeat(line.tries ?? USUAL_TRIES, AT_ONCE, (i) => {
      const body = line.toBody(name);
      // Two equal requests of a key are one.
      const told = typeof body === "string" ? body : { ...body, seed: i };
      return stage.ask(line.path, {
        key: secret,
        body: told,
        headers: { ...line.headers, "x-tutti-join": "off" },
        timeoutMs: REQUEST_MS,
      });
    });
  });
  for (const flow of [honest, leaveEarly, manyAtOnce, twoGateways, revoked, endless, killed]) {
    const told = await flow(stage);
    keys.push(...told.keys);
    problems.push(...(told.problems ?? []));
    tries += told.tries;
  }
  await stage.settle();
  const verdicts = [judgeBills(keys, await stage.provider.bill(), await stage.journaled())];

  const apart = [
    () => fullDisk(stage.provider),
    ...["deleted", "replaced", "damaged"].map((how) => () => journalGone(stage.provider, how)),
    () => windowBorder(stage.provider),
  ];
  for (const flow of apart) {
    const told = await flow();
    tries += told.tries;
    const bill = await stage.provider.bill();
    const journaled = told.isJournalLost
      ? Object.fromEntries(told.keys.map(({ id, name }) => [id, bill[name]?.usd ?? 0]))
      : await told.stage.journaled();
    verdicts.push(judgeBills(told.keys, bill, journaled));
    await told.stage.gateway.end();
  }
  await stage.close();
  const sum = (of) => verdicts.reduce((total, verdict) => total + of(verdict), 0);
  const rows = verdicts.flatMap((verdict) => verdict.rows);
  return {
    tries,
    ok: problems.length === 0 && verdicts.every(({ ok }) => ok),
    result:
      `${usd(sum(({ overspentUsd }) => overspentUsd))} over the budgets of ${rows.length} keys, ` +
      `${usd(sum(({ unjournaledUsd }) => unjournaledUsd))} not in the journal; the provider billed ${usd(sum(({ billedUsd }) => billedUsd))}${problems.map((each) => `; ${each}`).join("")}`,
    details: { problems: [...problems, ...verdicts.flatMap((verdict) => verdict.problems)], rows },
  };
}
