// Whether the rehearsal can work on a question at all, seen before anybody is asked: a simulator that knows nothing of a
// question must not reply to it, least of all to a script.

import { TuttiError } from "../base/errors.ts";
import { textOf } from "../worker/brief.ts";
import type { Task } from "../worker/types.ts";
import { offerQuestion } from "./offer.ts";
import { findProblem } from "./reading.ts";

/** Throws where no family of the simulated world recognises the newest question: an earlier one of the conversation is answered. */
export function checkKnown({ messages }: Task): void {
  const newest = messages.findLast(({ role }) => role === "user");
  if (newest && findProblem([newest])) return;
  const offered = offerQuestion(messages.map(textOf).join("\n"));
  const example = `tutti ask ${offered.includes('"') ? `'${offered}'` : `"${offered}"`}`;
  const real =
    "For real answers set a key such as OPENAI_API_KEY, or run Ollama: ollama serve, then ollama pull qwen3";
  throw new TuttiError(
    "not-in-rehearsal",
    `The rehearsal (simulated workers) cannot answer this question, but one such as: ${example} ${real}`,
  );
}
