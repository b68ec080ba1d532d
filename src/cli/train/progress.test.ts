import { describe, expect, it } from "vitest";
import type { TrainEvent } from "../../learn/types.ts";
import { toIteration, toValidation } from "../../testing/learn/train-events.ts";
import { createTrainProgress } from "./run.ts";

const ESC = "\u001b";

/** What is written when each event comes after its milliseconds. */
function watch(
  events: [atMs: number, event: TrainEvent][],
  { isTTY = true, columns = 200, isSimulated = true, minutes = Infinity } = {},
) {
  let written = "";
  let clock = 1_000_000;
  const stream = { isTTY, columns, write: (text: string) => (written += text) };
  const progress = createTrainProgress(
    stream as unknown as NodeJS.WriteStream,
    { isSimulated, minutes },
    () => clock,
  );
  for (const [atMs, event] of events) {
    clock = 1_000_000 + atMs;
    progress.update(event);
  }
  const shown = written;
  progress.end();
  const lines = shown.split(isTTY ? `\r${ESC}[K` : "\n").filter((line) => line !== "");
  return { written, lines, last: lines.at(-1) ?? "" };
}

const steady = { reward: 0.61, accuracy: 0.584, validShare: 0.992, decisionEntropy: 0.823, calls: 2.14 };
const at = (iteration: number, change = {}) =>
  toIteration(iteration, { stage: "teams", asked: { a: 1 }, costUsd: 0.001, ...steady, ...change }, 400);

describe("on a terminal", () => {
  it("shows stage, bar, how far, the time left and the metrics, in one line that changes", () => {
    const { last, written } = watch([
      [0, at(98)],
      [2_000, at(99)],
      [2_000, toValidation(99, { accuracy: 0.613 })],
      [4_000, at(199)],
    ]);
    // 101 iterations took four seconds, and 200 are left.
    expect(last).toBe(
      "teams ██████░░░░░░ 200 of 400 · 7.9 s left · reward 0.61 · 58 % right · 99 % valid · entropy 0.82 · 2.1 calls · validation 61 % · $0.003 simulated",
    );
    expect(written).not.toContain("\n");
    expect(written.endsWith(`\r${ESC}[K`)).toBe(true);
  });

  it("leaves out what a way to learn does not have", () => {
    const { last } = watch([[0, at(0, { decisionEntropy: Number.NaN })]]);
    expect(last).toMatch(/99 % valid · 2\.1 calls/);
  });

  it("is never wider than the terminal, and says early what matters most", () => {
    const { lines } = watch(
      [
        [0, at(0)],
        [2_000, at(1)],
        [9_000, at(2)],
      ],
      { columns: 50 },
    );
    for (const line of lines) expect(line.length).toBeLessThan(50);
    expect(lines.at(-1)).toMatch(/^teams ░{12} 3 of 400 · 29 min 47 s left .*…$/);
  });

  it("never says more than the minutes that were asked for", () => {
    const events: [number, TrainEvent][] = [
      [1_000, at(0)],
      [61_000, at(1)],
    ];
    expect(watch(events).last).toContain(" · 6 h 38 min left · ");
    expect(watch(events, { minutes: 3 }).last).toContain(" · 1 min 59 s left · ");
    expect(watch(events, { minutes: 1 }).last).not.toContain("left");
  });

  it("says that it is timing, without a bar, until the minutes have become a count", () => {
    const early = (iteration: number) =>
      toIteration(iteration, { stage: "warm-up", loss: 3, costUsd: 0, isTiming: true }, 10_300);
    const events: [number, TrainEvent][] = [
      [0, early(0)],
      [2_000, early(1)],
    ];
    expect(watch(events, { minutes: 3 }).last).toBe("warm-up 2, timing · 2 min 58 s left · loss 3.00");
    const known: [number, TrainEvent] = [4_000, toIteration(2, { stage: "warm-up", costUsd: 0 }, 400)];
    expect(watch([...events, known], { minutes: 3 }).last).toMatch(/^warm-up ░{12} 3 of 400 · /);
  });

  it("shows means of the last ten of this stage, not single iterations", () => {
    const events = Array.from({ length: 40 }, (_, i): [number, TrainEvent] => [
      i * 200,
      at(i, { stage: i < 30 ? "selection" : "teams", reward: i < 30 ? 0 : i % 2 }),
    ]);
    expect(watch(events).last).toContain("reward 0.50");
    expect(watch(events.slice(0, 31)).last).toMatch(/^teams .*reward 0\.00/);
    expect(watch(events.slice(0, 32)).last).toContain("reward 0.50");
  });

  it("shows the loss where nobody is asked yet, and no time before it can be known", () => {
    const { last } = watch([[0, toIteration(0, { stage: "warm-up", loss: 3.217 }, 50)]]);
    expect(last).toBe("warm-up ░░░░░░░░░░░░ 1 of 50 · loss 3.22 · $0.01 simulated");
    const none = { loss: Number.NaN, costUsd: Number.NaN };
    expect(
      watch([[0, toIteration(0, { stage: "warm-up", ...none }, 50)]], { isSimulated: false }).last,
    ).not.toContain("$");
  });

  it("writes what there is to know on a line of its own, without the controls in it", () => {
    const { written } = watch([
      [0, at(0)],
      [10, { type: "notice", text: `two ${ESC}[31mthreads\nand more` }],
      [500, at(1)],
    ]);
    const visible = written.replaceAll(new RegExp(`${ESC}\\[(2|22)m`, "g"), "");
    expect(visible).toContain(`\r${ESC}[Ktwo threads and more\n\r${ESC}[Kteams`);
  });
});

describe("in a pipe", () => {
  it("writes a whole line every five seconds, without bar and controls", () => {
    const events = Array.from({ length: 130 }, (_, i): [number, TrainEvent] => [i * 100, at(i)]);
    const { lines, written } = watch(events, { isTTY: false });
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^teams 101 of 400 · 30 s left · reward 0\.61 · 58 % right/);
    expect(written).not.toContain(ESC);
    expect(written).not.toMatch(/[█░]/);
  });
});
