// Questions as rows of a dataset, each in the form that its engine reads. The prompt is that of our prompted
// Conductor; the label finds the question again. Labels are texts: Arrow makes one type of a column.

import { toConductorMessages } from "../conductor/prompt.ts";
import type { ComposedRound } from "../conductor/types.ts";
import { toMessages } from "../task/types.ts";
import { MAX_STEPS } from "../workflow/types.ts";
import type { Question } from "../world/types.ts";
import { type QuestionLabel, toLabelText } from "./label.ts";

export const EXPORT_ENGINES = ["openrlhf", "slime", "trl", "verl", "nemo-gym"] as const;
export type ExportEngine = (typeof EXPORT_ENGINES)[number];

export interface PosedQuestion {
  label: QuestionLabel;
  question: Question;
  /** What the team did before, where a later round is asked for. */
  rounds?: ComposedRound[];
}

export interface ChatMessage {
  role: string;
  content: string;
}

export function toPrompt({ question: { task, pool }, rounds = [] }: PosedQuestion): ChatMessage[] {
  const request = {
    task: { messages: toMessages(task) },
    pool,
    rounds,
    errors: [],
    maxSteps: MAX_STEPS,
    seed: 0,
  };
  // Names are hidden: a brand must not decide, and the pools are renumbered.
  return toConductorMessages(request, { showNames: false }).map(({ role, content }) => ({
    role,
    content: content as string,
  }));
}

export function toDatasetRow(engine: ExportEngine, posed: PosedQuestion, index: number): object {
  const prompt = toPrompt(posed);
  const label = toLabelText(posed.label);
  const { id, set, category } = posed.question.task;
  if (engine === "verl")
    return {
      data_source: `tutti/${set}`,
      prompt,
      ability: category,
      reward_model: { style: "rule", ground_truth: label },
      extra_info: { index, task: id },
    };
  if (engine === "nemo-gym")
    return { responses_create_params: { input: prompt }, label, task_id: `${id}#${index}` };
  return { prompt, label, metadata: { task: id } };
}
