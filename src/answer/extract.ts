// What a reply of a model finally says. Models state an answer in a handful of ways; the last
// statement counts, because they correct themselves. Linear in the length of the text, never throws.

/** A last line longer than this is prose, not an answer. */
const SHORT_LINE = 80;

interface Statement {
  /** Where the answer itself begins: of two statements the later one counts. */
  at: number;
  answer: string;
}

/** The last stated final answer; without a statement the last line if it is short, else the whole text. */
export function extractAnswer(text: string): string {
  const thought = text.lastIndexOf("</think>");
  const said = thought >= 0 ? text.slice(thought + "</think>".length) : text;
  const stated = later(lastBoxed(said), lastLabelled(said));
  if (stated) return choiceOnly(stated.answer);
  const whole = said.trim();
  const lastLine = whole.slice(whole.lastIndexOf("\n") + 1).trim();
  return lastLine.length <= SHORT_LINE ? choiceOnly(lastLine) : whole;
}

function later(a: Statement | undefined, b: Statement | undefined): Statement | undefined {
  if (!a || !b) return a ?? b;
  return a.at > b.at ? a : b;
}

/** `\boxed{…}`, braces nested. One that is never closed was cut off and is no statement. */
function lastBoxed(text: string): Statement | undefined {
  const opening = "\\boxed{";
  if (!text.includes(opening)) return undefined;
  let last: Statement | undefined;
  // For each open brace where its content begins, and whether a box opened it.
  const open: { start: number; box: boolean }[] = [];
  for (let i = text.indexOf(opening); i < text.length; i++) {
    const character = text.charAt(i);
    if (character === "{") open.push({ start: i + 1, box: text.endsWith(opening, i + 1) });
    if (character !== "}") continue;
    const closed = open.pop();
    if (closed?.box) last = { at: closed.start, answer: text.slice(closed.start, i).trim() };
  }
  return last;
}

const LABEL = /^.*\banswer\b(?:\*\*|__|[*_])? ?(?:is\b ?)?(?:\*\*|__|[*_])? ?[:=] ?(?:\*\*|__|[*_])? ?(.*)$/i;
const HEADING = /^\W*(?:the )?(?:final |correct )*answer\W*$/i;
const PHRASE = /\banswer (?:is|would be|must be|equals) (?:then |therefore |thus )?(.+)$/i;
const CHOICE =
  /\b(?:correct|right|best) (?:option|choice|answer)\b[^A-Z()]{0,12}\(?([A-J])\)?(?![\w'])|\b(?:[Oo]ption|[Cc]hoice) \(?([A-J])\)? is (?:the )?(?:correct|right|best)|\(([A-J])\) is (?:the )?(?:correct|right|best)|\b(?:I|i) (?:choose|pick|select) (?:option )?\(?([A-J])\)?(?![\w'])/;

/** "Answer: …", "**Final answer:** …", "the answer is …", "option (C) is correct": the last such line. */
function lastLabelled(text: string): Statement | undefined {
  let end = text.length;
  let below = "";
  while (end >= 0) {
    // Asked for a negative position, lastIndexOf would look at 0.
    const start = end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1;
    const line = text.slice(start, end).replace(/\s+/g, " ").trim();
    if (/answer|option|choice|choose|pick|select|correct|right|best/i.test(line)) {
      const answer = statementIn(line, below);
      if (answer !== undefined) return { at: start, answer };
    }
    if (line !== "") below = line;
    if (start === 0) break;
    end = start - 1;
  }
  return undefined;
}

/** `below` is the next line that is not empty: a heading "Answer:" may stand above its answer. */
function statementIn(line: string, below: string): string | undefined {
  const label = LABEL.exec(line)?.[1];
  if (label !== undefined && /\w|[^\x20-\x7e]/.test(label)) return label;
  if (HEADING.test(line)) return below === "" ? undefined : below;
  const choice = CHOICE.exec(line);
  if (choice) return `(${choice[1] ?? choice[2] ?? choice[3] ?? choice[4]})`;
  const phrase = PHRASE.exec(line)?.[1];
  return phrase === undefined ? undefined : firstSentence(phrase);
}

/** A sentence ends at a point followed by a space, so "3.14" stays whole. */
function firstSentence(text: string): string {
  const end = /[.!?](?= |$)|,? (?:because|since|which) /.exec(text);
  return end ? text.slice(0, end.index) : text;
}

/** "(C) Paris" and "C) Paris" name the choice C; what follows only repeats it. */
function choiceOnly(answer: string): string {
  const choice = /^[\s*_]*\(?([A-J])\)(?=[\s*_.:,]|$)/.exec(answer)?.[1];
  return choice === undefined ? answer.trim() : `(${choice})`;
}
