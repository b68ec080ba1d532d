// Rounds may be many: a Conductor that decides after every reply makes one-step rounds, and each step may see all that
// was said before. Whatever is said and wherever the process dies, the run is the same.

import fc from "fast-check";
import { expect, it } from "vitest";
import type { Conductor } from "../../conductor/types.ts";
import { performRun, resumeRun } from "../../perform/driver.ts";
import { type Run, toRun } from "../../perform/run.ts";
import { fold } from "../../perform/state.ts";
import { createMemoryStore } from "../../store/memory.ts";
import type { RunEvent } from "../../store/types.ts";
import { scriptedWorker, step, toPool, toStage, toStart } from "../../testing/stage.ts";
import { NO_USAGE } from "../../worker/price.ts";
import { renderWorkflow } from "../../workflow/render.ts";
import { validateWorkflow } from "../../workflow/validate.ts";
import { PLAIN } from "../terminal/style.ts";
import { toTrace } from "./show-run.ts";

const ROUNDS = 12;

/** One worker a turn, in this order; each sees every turn before it. */
function inTurns(order: readonly number[]): Conductor {
  return {
    identity: { kind: "custom", id: "in-turns" },
    async *compose({ rounds }) {
      const workflow = { steps: [step(order[rounds.length]!, `turn ${rounds.length + 1}`, "all-rounds")] };
      yield { type: "plan-end", text: "", decision: { type: "workflow", workflow }, usage: NO_USAGE };
    },
  };
}

function toTeam() {
  const workers = [0, 1, 2].map((number) =>
    scriptedWorker(`w${number}`, ({ brief }) => {
      const seen = brief!.visible.map(({ round, reply }) => `${round + 1}:${reply.length}`).join(" ");
      return `${brief!.subtask} by ${number}, after [${seen}]`;
    }),
  );
  return {
    pool: toPool(workers),
    calls: () => workers.reduce((sum, { requests }) => sum + requests.length, 0),
  };
}

const repliesOf = (run: Run) => run.steps.map(({ reply }) => reply);

it("twelve rounds of one step are performed, journaled, resumed from anywhere, and shown", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(2), { minLength: ROUNDS, maxLength: ROUNDS }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (order, share) => {
        const team = toTeam();
        const store = createMemoryStore();
        const start = toStart(team.pool, { rounds: ROUNDS });
        const state = await performRun(start, toStage(team.pool, inTurns(order), { store }));
        const run = toRun(state);
        expect(run).toMatchObject({
          stopReason: "done",
          calls: ROUNDS,
          answerStep: { round: ROUNDS - 1, step: 0 },
        });
        // Each has seen every turn before its own, and no other.
        for (const [turn, reply] of repliesOf(run).entries())
          expect(reply.match(/\d+:\d+/g) ?? []).toHaveLength(turn);

        const journal = await store.loadRun(start.runId);
        expect(toRun(fold(journal)!, 0)).toEqual(toRun(state, 0));
        const kept = journal.slice(0, 1 + Math.floor(share * (journal.length - 2)));
        const resumed = await resumeFrom(kept, order);
        expect(repliesOf(resumed.run)).toEqual(repliesOf(run));
        // Nothing that was journaled is asked again.
        const done = kept.filter(({ type }) => type === "step-end").length;
        expect(resumed.calls).toBe(ROUNDS - done);

        const options = { style: PLAIN, columns: 100, now: 0, withMessages: true, nested: new Map() };
        const trace = toTrace(state, options).join("\n");
        for (const { subtask } of run.steps) expect(trace).toContain(`subtask   ${subtask}\n`);
        expect(trace).toContain(`saw       the question, rounds 1 to ${ROUNDS - 1}\n`);
      },
    ),
    { seed: 13, numRuns: 40 },
  );
});

async function resumeFrom(kept: RunEvent[], order: readonly number[]) {
  const team = toTeam();
  const store = createMemoryStore();
  store.append(kept);
  const run = toRun(await resumeRun(kept, toStage(team.pool, inTurns(order), { store })));
  return { run, calls: team.calls() };
}

it("what a step of all rounds says is valid and written, though the language has no word for it", () => {
  const workflow = { steps: [step(0, "go on", "all-rounds")] };
  expect(validateWorkflow(workflow, { workers: 1 })).toBeUndefined();
  expect(renderWorkflow(workflow)).toContain('access_list = [["all-rounds"]]');
});
