// Whom a rating is about: whoever gave the answer, and what they were asked. It is journaled with the rating, so that whoever
// learns from ratings need not read the runs again.

import { extractAnswer } from "../answer/extract.ts";
import { sameAnswer } from "../answer/normalise.ts";
import { redact } from "../base/redact.ts";
import type { RatedAnswer } from "../store/types.ts";
import { textOf } from "../worker/brief.ts";
import { countVotes } from "../worker/consensus.ts";
import { isModel } from "../worker/kinds.ts";
import type { Run, RunStep } from "./run.ts";

/** Enough to know a question by. */
const LONGEST_QUESTION = 2_000;

/** Undefined where no model of the pool gave the answer: nobody did, or a run inside this one. */
export function findRated(run: Run): RatedAnswer | undefined {
  const at = run.steps.findIndex(
    ({ round, step }) => round === run.answerStep?.round && step === run.answerStep.step,
  );
  if (at < 0) return undefined;
  const voices = isVote(run, run.steps[at]!) ? findAgreed(run, at) : [run.steps[at]!];
  const models = voices.filter(({ worker }) => run.pool[worker] && isModel(run.pool[worker]));
  const workers = [...new Set(models.map(({ workerId }) => workerId))];
  if (workers.length === 0) return undefined;
  if (run.isStripped || run.origin?.isPrivate) return { workers };
  const said = run.task.messages.filter(({ role }) => role === "user").map(textOf);
  const question = redact(said.join("\n")).slice(0, LONGEST_QUESTION);
  return question === "" ? { workers } : { workers, question };
}

function isVote({ pool }: Run, { worker }: RunStep): boolean {
  return pool[worker]?.kind === "tool";
}

/** Of the replies that the vote saw those that say what won. Of a stripped run nobody can tell any more. */
function findAgreed(run: Run, at: number): RunStep[] {
  const { access, round, reply } = run.steps[at]!;
  const seen = run.steps.slice(0, at).filter((step) => {
    if (isVote(run, step) || step.reply.trim() === "") return false;
    if (access === "all-rounds") return true;
    return step.round === round && (access === "all" || access.includes(step.step));
  });
  const won = extractAnswer(reply);
  const agreed = countVotes(seen)?.groups.find(([first]) => first && sameAnswer(first.answer, won));
  return agreed?.map(({ position }) => seen[position]!) ?? [];
}
