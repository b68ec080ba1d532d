// How a family is made of its forms. A form is one kind of question: its phrasings with their slots, how
// values are drawn, and how the problem is worked out. Everything else follows from these.

import { hashSeed, type Random } from "../../base/random.ts";
import type { Difficulty, Family, Problem, Worksheet } from "../types.ts";
import { createTemplates, type Slots, type ValuesOf } from "./templates.ts";
import { Sheet, showNumber } from "./worksheet.ts";

/** A question that takes more stages than this is not ours: it would be no small problem. */
const MAX_STAGES = 14;

interface FormDefinition<S extends Slots> {
  /** By default all: then `difficultyOf` tells them apart. */
  difficulties?: readonly Difficulty[];
  slots: S;
  phrasings: readonly string[];
  /** Left out where each slot draws for itself, in the order of the slots. */
  draw?(random: Random, difficulty: Difficulty): ValuesOf<S>;
  /** Whether values that somebody else wrote make sense together. */
  accepts?(values: ValuesOf<S>): boolean;
  /** Seen from the question alone. May be left out where the form has only one difficulty. */
  difficultyOf?(values: ValuesOf<S>): Difficulty;
  /** The answer, which is also the result of the last stage; undefined where there is none. */
  solve(values: ValuesOf<S>, sheet: Worksheet): string | number | undefined;
}

/** A form whose slots nobody outside needs to know. */
interface Form {
  difficulties: readonly Difficulty[];
  draw(random: Random, difficulty: Difficulty): unknown;
  write(values: unknown, random: Random): string;
  match(text: string): { question: string; values: unknown } | undefined;
  difficultyOf(values: unknown): Difficulty;
  solve(values: unknown, sheet: Worksheet): string | undefined;
}

export function defineForm<S extends Slots>(definition: FormDefinition<S>): Form {
  const { difficulties = [1, 2, 3], slots, draw, accepts, difficultyOf } = definition;
  const templates = createTemplates(slots, definition.phrasings);
  const drawEach = (random: Random, difficulty: Difficulty) =>
    Object.fromEntries(Object.entries(slots).map(([name, slot]) => [name, slot.draw!(random, difficulty)]));
  return {
    difficulties,
    draw: draw ?? drawEach,
    write: (values, random) => templates.write(values as ValuesOf<S>, random),
    match(text) {
      const found = templates.match(text);
      return found?.values && accepts?.(found.values) !== false ? found : undefined;
    },
    difficultyOf: (values) => difficultyOf?.(values as ValuesOf<S>) ?? difficulties[0]!,
    solve(values, sheet) {
      const answer = definition.solve(values as ValuesOf<S>, sheet);
      return typeof answer === "number" ? showNumber(answer) : answer;
    },
  };
}

/** `terms` are separated by commas. */
export function defineFamily({
  forms,
  terms,
  ...named
}: Pick<Family, "id" | "topic" | "work"> & {
  terms: string;
  recall?: boolean;
  forms: readonly Form[];
}): Family {
  const { id, topic } = named;

  function toProblem(form: number, parameters: unknown, question: string): Problem | undefined {
    const sheet = new Sheet();
    const answer = forms[form]!.solve(parameters, sheet);
    if (answer === undefined || sheet.stages.length > MAX_STAGES) return undefined;
    const difficulty = forms[form]!.difficultyOf(parameters);
    const { stages } = sheet;
    const hash = hashSeed(question);
    return { family: id, topic, difficulty, question, hash, answer, stages, form, parameters };
  }

  return {
    recall: false,
    ...named,
    terms: terms.split(", "),
    generate(random, difficulty) {
      const form = random.pick(forms.filter(({ difficulties }) => difficulties.includes(difficulty)));
      const values = form.draw(random, difficulty);
      const question = form.write(values, random);
      const problem = toProblem(forms.indexOf(form), values, question);
      if (!problem) throw new Error(`The family "${id}" drew a question without an answer: ${question}`);
      return problem;
    },
    read(text) {
      for (const [form, { match }] of forms.entries()) {
        const found = match(text);
        const problem = found && toProblem(form, found.values, found.question);
        if (problem) return problem;
      }
      return undefined;
    },
    workOut(problem, slip) {
      const sheet = new Sheet(slip);
      const answer = forms[problem.form]!.solve(problem.parameters, sheet);
      return { stages: sheet.stages, answer: answer ?? "none" };
    },
  };
}
