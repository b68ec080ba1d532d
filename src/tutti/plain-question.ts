// Whether a question is plainly one for a single model, so that planning it would cost more than it brings. Careful: what
// is not clearly plain goes to the Conductor. Told from the words alone, without asking anybody.

import { textOf } from "../worker/brief.ts";
import type { Task } from "../worker/types.ts";

const LONGEST = 90;
const MOST_WORDS = 14;

const GREETING =
  /^(hi|hello|hey|thanks|thank you|good (morning|evening|night)|hallo|danke|guten (tag|morgen|abend)|hola|gracias|bonjour|salut|merci|ciao|grazie|ol[áa]|obrigad[oa])\b[\s\p{L}]{0,20}[!.]*$/iu;
/** One operation on small numbers. */
const SUM = /^(what is |what's |how much is )?\d{1,4}\s*[-+*×x/÷]\s*\d{1,4}\s*[=?.]*\s*\??$/i;
/** One fact. */
const FACT = /^(who|what|when|where|which|in which|in what)\b[^?\n]*\?$/i;
/** Words of questions that only look like one fact. */
const WORK =
  /\d|\b(if|why|how|should|would|could|best|better|compare|difference|between|versus|vs|and|or|prove|explain|steps?|plan|design|write|code|function|bug|error|following|these|this|that|it|most|least|all|each|probability|many|much)\b/i;

export function isPlainQuestion({ messages, output }: Task): boolean {
  if (output?.tools?.length || output?.responseFormat) return false;
  const asked = messages.filter(({ role }) => role !== "system");
  const [question] = asked;
  if (asked.length !== 1 || !question || typeof question.content !== "string") return false;
  const text = textOf(question).trim();
  if (text.length > LONGEST || text.split(/\s+/).length > MOST_WORDS) return false;
  return GREETING.test(text) || SUM.test(text) || (FACT.test(text) && !WORK.test(text));
}
