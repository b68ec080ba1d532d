// How a family is made of its forms. A form is one kind of question: how its parameters are drawn,
// written into a phrasing, read back out of one, and worked out. Everything else follows from these.

import { hashSeed, type Random } from "../../base/random.ts";
import type { Difficulty, Family, Problem, Worksheet } from "../types.ts";
import { createTemplates, type Values } from "./templates.ts";
import { Sheet } from "./worksheet.ts";

/** A question that takes more stages than this is not ours: it would be no small problem. */
const MAX_STAGES = 14;

export interface FormDefinition<Parameters> {
  difficulties: readonly Difficulty[];
  slots: Record<string, string>;
  phrasings: readonly string[];
  draw(random: Random, difficulty: Difficulty): Parameters;
  write(parameters: Parameters): Values;
  /** Undefined where the values make no sense together. */
  read(values: Values): Parameters | undefined;
  /** Seen from the question alone. May be left out where the form has only one difficulty. */
  difficultyOf?(parameters: Parameters): Difficulty;
  /** The answer, which is also the result of the last stage; undefined where there is none. */
  solve(parameters: Parameters, sheet: Worksheet): string | undefined;
}

/** A form whose parameters nobody outside needs to know. */
interface Form {
  difficulties: readonly Difficulty[];
  draw(random: Random, difficulty: Difficulty): unknown;
  write(parameters: unknown, random: Random): string;
  match(text: string): { question: string; parameters: unknown } | undefined;
  difficultyOf(parameters: unknown): Difficulty;
  solve(parameters: unknown, sheet: Worksheet): string | undefined;
}

export function defineForm<Parameters>(definition: FormDefinition<Parameters>): Form {
  const { difficulties, difficultyOf, draw } = definition;
  const templates = createTemplates(definition.slots, definition.phrasings);
  return {
    difficulties,
    draw,
    write: (parameters, random) => templates.write(definition.write(parameters as Parameters), random),
    match(text) {
      const found = templates.match(text);
      const parameters = found && definition.read(found.values);
      return parameters === undefined ? undefined : { question: found!.question, parameters };
    },
    difficultyOf: (parameters) => difficultyOf?.(parameters as Parameters) ?? difficulties[0]!,
    solve: (parameters, sheet) => definition.solve(parameters as Parameters, sheet),
  };
}

export function defineFamily(
  definition: Pick<Family, "id" | "topic" | "work" | "terms"> & { recall?: boolean; forms: readonly Form[] },
): Family {
  const { id, topic, forms } = definition;

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
    id,
    topic,
    work: definition.work,
    terms: definition.terms,
    recall: definition.recall ?? false,
    generate(random, difficulty) {
      const fitting = forms.filter((form) => form.difficulties.includes(difficulty));
      const form = random.pick(fitting);
      const parameters = form.draw(random, difficulty);
      const question = form.write(parameters, random);
      const problem = toProblem(forms.indexOf(form), parameters, question);
      if (!problem) throw new Error(`The family "${id}" drew a question without an answer: ${question}`);
      return problem;
    },
    read(text) {
      for (const [form, { match }] of forms.entries()) {
        const found = match(text);
        const problem = found && toProblem(form, found.parameters, found.question);
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
