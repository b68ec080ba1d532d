// The words of simulated replies. A reply is a real text: others read its stages, its plan and its
// answer from it, as they would read a model's.

import type { TurnRole } from "../../belief/types.ts";
import type { Player } from "../players.ts";
import { exampleQuestion } from "../questions.ts";
import type { SeenAnswer } from "../reading.ts";
import type { SolutionStage, Worked } from "../types.ts";

export function writeSolution({ style }: Player, { stages, answer }: Worked, remark = ""): string {
  return join(style.opening, remark, listStages(stages, style.wordy), `Answer: ${answer}`);
}

/** For an answer that is another's, and so is its working. */
export function writeAdoption({ style }: Player, answer: string, remark: string): string {
  return join(style.opening, remark, `Answer: ${answer}`);
}

export function writeComparison(
  player: Player,
  answers: readonly SeenAnswer[],
  { answer }: SeenAnswer,
): string {
  const counted = answers.map((seen) => `${seen.votes} × ${seen.answer}`).join("; ");
  return writeAdoption(player, answer, `Answers given: ${counted}. I go with ${answer}.`);
}

/** The heading is what tells a plan from an answer. `next`: the role that a Thinker suggests. */
export function writePlan({ style }: Player, lines: readonly string[], next?: TurnRole): string {
  const numbered = lines.map((line, i) => `${i + 1}. ${capital(line)}.`).join("\n");
  return join(style.opening, "Plan:", numbered, next ? `NEXT: ${next}` : "");
}

/** `again` is how the checker worked it out itself, where it found the answer to be wrong. */
export function writeCheck(player: Player, answer: string, again?: Worked): string {
  const { opening, wordy } = player.style;
  if (!again) return writeAdoption(player, answer, `I went through the working behind ${answer}: it holds.`);
  const worked = `Worked again:\n${listStages(again.stages, wordy)}`;
  return join(opening, `The earlier answer ${answer} is wrong.`, worked, `Answer: ${again.answer}`);
}

/** A check in the form of a Verifier: its verdict first, and what it worked out inside the diagnosis only. */
export function writeVerdict(answer: string, again?: Worked): string {
  if (!again) return `VERDICT: ACCEPT\nI went through the working in another way. What holds is ${answer}.`;
  const working = again.stages.map(({ line }) => line).join("; ");
  return `VERDICT: REVISE\nDIAGNOSIS: The earlier answer ${answer} is wrong. Worked again: ${working}. What holds is ${again.answer}.`;
}

/** Without a candidate nothing can be accepted. */
export function writeNothingToJudge(): string {
  return "VERDICT: REVISE\nDIAGNOSIS: There is no candidate answer to judge yet.";
}

/** The answer that a verdict stands for: the accepted one, or the one worked out instead. Empty: none. */
export function readVerdictAnswer(reply: string): string {
  return /^.*\bWhat holds is (.*)\.$/m.exec(reply)?.[1] ?? "";
}

/** Marked as simulated, and without any answer, so that nobody takes it for one. */
export function writeRefusal(text: string): string {
  return `(simulated worker: I am not a real model and cannot answer this. A question I can work on: ${exampleQuestion(text)})`;
}

function listStages(stages: readonly SolutionStage[], wordy: boolean): string {
  return stages
    .map(({ work, line }, i) => `${i + 1}. ${wordy ? `${capital(work)}: ${line}` : line}`)
    .join("\n");
}

function join(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
