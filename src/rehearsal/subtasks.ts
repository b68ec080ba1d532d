// Subtasks from the shipped repertoire, by a table written by hand: which instruction in which place, which work for which
// family, which form for which question. The scripted planner and the search for the best workflow write with it, so that
// both have the sentences that a trained Conductor chooses among.

import { findParts } from "../instruction/question-parts.ts";
import { renderSaying } from "../instruction/render.ts";
import { loadRepertoire } from "../instruction/repertoire.ts";
import type { Saying } from "../instruction/types.ts";
import { familyOf } from "./questions.ts";
import type { Problem } from "./types.ts";

/** For a question of no kind that the rehearsal knows. */
const ANY = { work: "from-given-to-asked", check: "check-method", form: undefined };

/** By family: the work it takes, an independent way to check it, and the form of its answers. */
const TABLE: Record<string, { work: string; check: string; form: string | ((question: string) => string) }> =
  {
    arithmetic: { work: "arithmetic", check: "check-backwards", form: "number" },
    equations: { work: "equations", check: "check-backwards", form: "number" },
    shopping: { work: "money-and-rates", check: "check-backwards", form: moneyOrMeasure },
    gardens: { work: "geometry", check: "check-estimate", form: moneyOrMeasure },
    knights: { work: "true-or-lying", check: "check-cases", form: "list" },
    ordering: { work: "order", check: "check-cases", form: "name" },
    programs: { work: "tracing", check: "check-lines", form: "number" },
    capitals: { work: "capitals", check: "check-read", form: "name" },
    elements: {
      ...{ work: "chemical-elements", check: "check-read" },
      form: (question) => (/\bsymbol\b/.test(question) ? "name" : "number"),
    },
    dates: {
      ...{ work: "calendar", check: "check-backwards" },
      form: (question) => (/\b(?:how many|count the) days\b/i.test(question) ? "measure" : "time"),
    },
    strings: { work: "letters", check: "check-lines", form: "name" },
    units: { work: "units", check: "check-backwards", form: "measure" },
    tables: { work: "tables", check: "check-lines", form: "number" },
    routes: { work: "routes", check: "check-cases", form: "measure" },
    schedules: { work: "schedules", check: "check-cases", form: "measure" },
  };

function moneyOrMeasure(question: string): string {
  return /\bdollars\b[^.]*\?/.test(question) ? "money" : "measure";
}

export function planSubtask(problem: Problem | undefined): string {
  return say("plan-goal", problem);
}

export function solveSubtask(problem: Problem | undefined, options: { plan?: boolean } = {}): string {
  if (options.plan) return say("solve-plan", problem);
  if (!problem) return say("solve-alone", problem);
  return say(familyOf(problem).recall ? "recall-directly" : "solve-steps", problem);
}

export function checkSubtask(problem: Problem | undefined): string {
  return say((problem && TABLE[problem.family]?.check) ?? ANY.check, problem);
}

export function compareSubtask(problem?: Problem): string {
  return say("compare-part", problem);
}

function say(instruction: string, problem: Problem | undefined): string {
  const { instructions } = loadRepertoire();
  return renderSaying({ instruction: entry(instructions, instruction), ...fillingsOf(problem) }, "en");
}

type Fillings = Omit<Saying, "instruction">;
const remembered = new WeakMap<Problem, Fillings>();

function fillingsOf(problem: Problem | undefined): Fillings {
  const known = problem && remembered.get(problem);
  if (known) return known;
  const { works, forms } = loadRepertoire();
  const { work, form } = (problem && TABLE[problem.family]) ?? ANY;
  const formId = typeof form === "function" ? form(problem!.question) : form;
  const fillings: Fillings = {
    work: entry(works, work),
    form: formId === undefined ? undefined : entry(forms, formId),
    part: problem && findParts(problem.question).find(({ isAsked }) => isAsked),
  };
  if (problem) remembered.set(problem, fillings);
  return fillings;
}

function entry<Entry extends { id: string }>(entries: readonly Entry[], id: string): Entry {
  const found = entries.find((each) => each.id === id);
  if (found) return found;
  throw new Error(
    `The shipped repertoire has no "${id}" (there are: ${entries.map((each) => each.id).join(", ")})`,
  );
}
