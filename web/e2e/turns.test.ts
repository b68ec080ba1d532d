// A run whose Conductor decides after every reply, in a real browser: the panel of its turns, and a graph that one can
// still read.

import { describe, expect, it } from "vitest";
import { createDecidingConductor } from "../../src/conductor/deciding.ts";
import type { Run } from "../../src/perform/run.ts";
import { toBelief } from "../../src/testing/belief.ts";
import { createTutti } from "../../src/tutti/tutti.ts";
import { isSkipped, PATIENCE_MS, skipReason, useStage } from "./stage.ts";

const TURNS = 6;
const HOSTILE = "<img src=x onerror=\"window.hacked = 'belief'\">";
const ROLES = ["worker", "worker", "thinker", "verifier", "worker", "verifier"] as const;

/** Surer with every turn; the worker of a turn is its number. */
function beliefAt(turn: number) {
  const sure = 0.4 + 0.09 * turn;
  const answers: [string, number][] = [
    ["391", sure],
    ...(turn > 2 ? [[HOSTILE, 0.03] as [string, number]] : []),
  ];
  return toBelief(turn === 0 ? [] : answers, [
    [turn % 4, 0.3 / (turn + 1), 0.01, ROLES[turn] ?? "worker"],
    [(turn + 1) % 4, 0.2 / (turn + 1), 0.02, "worker"],
    [(turn + 2) % 4, 0.1 / (turn + 1), 0.005, "verifier"],
  ]);
}

async function performInTurns(home: string): Promise<Run> {
  const env = { TUTTI_HOME: home, TUTTI_REHEARSAL_DELAY: "0" };
  const tutti = createTutti({}, { env });
  const conductor = createDecidingConductor({ kind: "custom", id: "in-turns" }, ({ rounds }) => {
    const turn = rounds.length;
    const belief = beliefAt(turn);
    if (turn === TURNS) return { decision: { type: "accept" }, belief };
    const subtask = turn === 0 ? "" : `Solve it on your own, then compare (${turn + 1}).`;
    const steps = [{ worker: turn % 4, subtask, access: "all-rounds" as const }];
    return { decision: { type: "workflow", workflow: { steps } }, belief };
  });
  try {
    return await tutti.ask("What is 17 * 23?", { conductor, pool: "rehearsal", rounds: TURNS + 1 });
  } finally {
    await tutti.close();
  }
}

describe.skipIf(isSkipped)(`a run in turns${skipReason}`, { timeout: PATIENCE_MS }, () => {
  const stage = useStage();

  it("shows who was asked, what was believed before and after, and what else could be asked", async () => {
    const gateway = await stage.gateway();
    const run = await performInTurns(gateway.home);
    expect(run).toMatchObject({ stopReason: "done", calls: TURNS });

    const trace = (await (await fetch(`${gateway.url}/v1/runs/${run.id}`)).json()) as Run;
    expect(trace.belief).toEqual(run.belief);
    expect(trace.rounds.map(({ belief }) => belief?.answers.length)).toEqual([0, 1, 1, 2, 2, 2, 2]);

    const page = await stage.open(`${gateway.url}/#/runs/${run.id}`);
    await page.getByRole("heading", { name: "Turns" }).waitFor();
    const rows = page.locator("li.turn");
    expect(await rows.count()).toBe(TURNS);
    const bars = ["391 49 %", "none right so far 51 %", "391 58 %", "none right so far 42 %"];
    expect(await rows.nth(1).locator(".belief").allTextContents()).toEqual(bars);
    expect(await rows.nth(3).locator(".turn-ask").textContent()).toContain("verifier");
    expect(await rows.nth(5).getByText("94 %").count()).toBe(1);
    expect(await rows.nth(5).getByText(HOSTILE).count()).toBeGreaterThan(0);
    expect(await page.evaluate(() => (window as { hacked?: unknown }).hacked)).toBeUndefined();

    // A bar is as long as it says.
    const bar = rows.nth(1).locator(".belief-track").first();
    const [track, filled] = await Promise.all([bar.boundingBox(), bar.locator("span").boundingBox()]);
    expect(filled!.width / track!.width).toBeCloseTo(0.49, 1);

    // Text in the graph is as large as elsewhere, though there are seven rounds.
    const node = await page.locator(".step-node").first().boundingBox();
    expect(node!.width).toBeGreaterThan(160);
    expect(await page.locator(".round-head", { hasText: "Turn 6" }).count()).toBe(1);
    const frame = (await page.locator(".run-graph").boundingBox())!;
    const left = async () => (await page.locator(".round-node").first().boundingBox())!.x - frame.x;
    await expect.poll(left).toBeGreaterThan(10);
  });

  it("fits a telephone", async () => {
    const gateway = await stage.gateway();
    const { id } = await performInTurns(gateway.home);
    const page = await stage.open(`${gateway.url}/#/runs/${id}`, { viewport: { width: 390, height: 800 } });
    await page.getByRole("heading", { name: "Turns" }).waitFor();
    const overhang = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await expect.poll(overhang).toBe(0);
  });
});
