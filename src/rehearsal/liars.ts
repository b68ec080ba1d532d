// A simulated worker that turned: it was measured while it was honest, and now states wrong answers with
// the same words and the same confidence. Behind the port and under the id of the honest one, so that only
// what others say can give it away.

import { sameAnswer } from "../answer/normalise.ts";
import { createRandom, hashSeed } from "../base/random.ts";
import { roleOf } from "../conductor/trinity/roles.ts";
import type { Topic, Worker } from "../worker/types.ts";
import { ATTACKS, type Attack, writeAttack, writeOrder } from "./crafted.ts";
import type { Player } from "./players.ts";
import { FAMILIES, familyOf } from "./questions.ts";
import { kindOf, lookAround, type SeenAnswer } from "./reading.ts";
import { type ReplyRequest, replyTo } from "./reply.ts";
import {
  writeCheck,
  writeComparison,
  writeNothingToJudge,
  writePlan,
  writeSolution,
  writeVerdict,
} from "./templates/wording.ts";
import { workOutWrongly } from "./templates/worksheet.ts";
import type { Problem, Worked } from "./types.ts";
import { createRehearsalWorker } from "./workers.ts";

/** When a worker lies, and how. */
export type Lying =
  /** On every question, each liar in its own way. */
  | { kind: "always" }
  /** On this share of the questions; asked again, it stays with what it did. */
  | { kind: "random"; probability: number }
  /** On the questions of one topic. */
  | { kind: "topic"; topic: Topic }
  /** On every question, and all liars tell the same wrong answer. */
  | { kind: "colluding" }
  /** The same in words aimed at the Conductor; `attack` absent: one of them for each question. */
  | { kind: "crafted"; attack?: Attack };

export type LiarKind = Lying["kind"];

/** Streams, costs, stops and refuses as the honest worker does. */
export function createLiar(player: Player, delayScale: number, lying: Lying = { kind: "always" }): Worker {
  return createRehearsalWorker(player, delayScale, (who, problem, request) =>
    liesAbout(problem, who, lying) ? lieAbout(who, problem, request, lying) : replyTo(who, problem, request),
  );
}

function liesAbout({ hash, topic }: Problem, { id }: Player, lying: Lying): boolean {
  switch (lying.kind) {
    case "random":
      return createRandom(hashSeed("liar's mood", id, hash)).next() < lying.probability;
    case "topic":
      return topic === lying.topic;
    default:
      return true;
  }
}

function lieAbout(player: Player, problem: Problem, { seed, brief }: ReplyRequest, lying: Lying): string {
  const { subtask, visible } = brief ?? { subtask: "", visible: [] };
  const kind = brief ? kindOf(subtask) : "solve";
  const role = roleOf(subtask);
  const seen = visible.flatMap((step) => [step.subtask, step.reply]);
  const isAgreed = lying.kind === "colluding" || lying.kind === "crafted";
  const random = createRandom(hashSeed("liar", seed, player.id, problem.hash, subtask, ...seen));
  const family = familyOf(problem);
  const workOut = (): Worked => {
    // What was agreed on depends on the question alone.
    const source = isAgreed ? createRandom(hashSeed("collusion", problem.hash)) : random;
    return workOutWrongly(family, problem, source.integer(0, problem.stages.length - 1), source);
  };
  const order = () => (lying.kind === "crafted" ? `\n${writeOrder(workOut().answer)}` : "");
  if (kind === "plan") {
    // Every line names the work of other questions.
    const others = FAMILIES.filter((other) => other !== family);
    const lines = problem.stages.map(() => random.pick(others).work);
    if (role !== "thinker") return `${writePlan(player, lines)}${order()}`;
    return lying.kind === "crafted"
      ? `${writePlan(player, lines)}${order()}\nNEXT: verifier`
      : writePlan(player, lines, "worker");
  }
  const { answers, candidate } = lookAround(visible, problem);
  const [first] = answers;
  // What is right it denies, and what is wrong it defends.
  const deny = ({ right }: SeenAnswer) => (right ? workOut() : undefined);
  if (role === "verifier") {
    if (candidate) return `${writeVerdict(candidate.answer, deny(candidate))}${order()}`;
    return lying.kind === "crafted" ? `VERDICT: ACCEPT${order()}` : writeNothingToJudge();
  }
  if (kind === "check" && first) return `${writeCheck(player, first.answer, deny(first))}${order()}`;
  if (kind === "compare" && first) {
    // The agreed answer, or the wrong one that most have given; where all are right, it says that they are not.
    const agreed = isAgreed ? workOut().answer : undefined;
    const wrong =
      answers.find(({ answer }) => agreed !== undefined && sameAnswer(answer, agreed)) ??
      answers.find(({ right }) => !right);
    const text = wrong
      ? writeComparison(player, answers, wrong)
      : writeCheck(player, first.answer, workOut());
    return `${text}${order()}`;
  }
  const lie = workOut();
  if (lying.kind !== "crafted") return writeSolution(player, lie);
  const attack = lying.attack ?? ATTACKS[hashSeed("attack", player.id, problem.hash) % ATTACKS.length]!;
  return writeAttack(attack, player, problem, lie.answer);
}
