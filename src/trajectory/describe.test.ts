import { expect, it } from "vitest";
import { countTurns, describeTurns } from "./describe.ts";
import type { TurnDecision } from "./types.ts";

const stay = (worker: number, usd: number): TurnDecision => ({ kind: "stay", worker, usd });
const nameOf = (worker: number) => `w${worker}`;

it("turns that only stayed are one line, and a loop that goes on in another round counts on", () => {
  const first = [stay(0, 0.01), stay(0, 0.02)];
  const second: TurnDecision[] = [
    { kind: "switch", worker: 1, from: 0, usd: 0.5, missUsd: 0.4, gainUsd: 1, because: "same-error" },
    stay(1, 0.1),
  ];
  const steps = [{ round: 0, decisions: first }, { round: 1 }, { round: 1, decisions: second }];
  expect(describeTurns(first, nameOf, countTurns(steps, 0))).toEqual([
    { turns: "1–2", text: "stays with w0 (next turn about $0.02)" },
  ]);
  const lines = describeTurns(second, nameOf, countTurns(steps, 1));
  expect(lines.map(({ turns }) => turns)).toEqual(["3", "4"]);
  expect(lines[0]!.text).toBe(
    "goes from w0 to w1: the same error came again and again, $1.00 more (next turn about $0.50, $0.40 of it to read the conversation anew)",
  );
});
