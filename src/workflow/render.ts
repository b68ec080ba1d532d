// A workflow as canonical text: what people edit, and what the Conductor is shown of its earlier plans.
// `parseWorkflow` reads it back exactly, whatever stands in the subtasks; except for "all-rounds", which only code says.

import type { Access, Workflow } from "./types.ts";

// Control characters, line separators and lone surrogates would be invisible or lost on the way.
const UNSAFE = /["\\\p{Cc}\p{Cs}\u2028\u2029]/gu;

export function renderWorkflow(workflow: Workflow): string {
  const { steps } = workflow;
  const subtasks = steps.map((step) => `  ${renderString(step.subtask)},\n`).join("");
  return [
    `model_id = [${steps.map((step) => step.worker).join(", ")}]`,
    steps.length === 0 ? "subtasks = []" : `subtasks = [\n${subtasks}]`,
    `access_list = [${steps.map((step) => renderAccess(step.access)).join(", ")}]`,
  ].join("\n");
}

function renderAccess(access: Access): string {
  return typeof access === "string" ? `["${access}"]` : `[${access.join(", ")}]`;
}

function renderString(text: string): string {
  // A `</think>` in a subtask must not look like the end of the reasoning to whoever reads this.
  return `"${text.replace(UNSAFE, escapeCharacter).replaceAll("</", "<\\/")}"`;
}

function escapeCharacter(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  if (character === "\n") return "\\n";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
