// The three roles of TRINITY in words: what a Thinker, a Worker and a Verifier are told, and how a verdict and a suggestion
// are read from what they reply. A reply is data: only a line in its agreed place counts, and in doubt there is no verdict.
// Covered: verdicts in prose, in code fences, in quotes or in contradiction to each other. Not covered: a Verifier that lies.

import type { TurnRole } from "../../belief/types.ts";
import type { Step } from "../../workflow/types.ts";

export interface RoleContext {
  /** A Worker sees the run so far; by default it is asked alone, as an independent voice. The other roles always see it. */
  sees?: boolean;
  /** The work that the question needs, as a verb phrase ("solve the equations for the unknown"), where it is known. */
  work?: string;
}

export interface Verdict {
  verdict: "accept" | "revise";
  /** What is wrong, of a "revise" that says so. */
  diagnosis?: string;
}

/** How the instruction of each role begins: it is known by this again (`roleOf`). */
const OPENINGS: Record<TurnRole, string> = {
  thinker: "Plan as the Thinker of the team",
  worker: "Solve the overall task as the Worker of the team",
  verifier: "Check the latest candidate answer as the Verifier of the team",
};

const ROLES = Object.keys(OPENINGS) as TurnRole[];

const ANSWER = 'Give a complete answer; where a short result is asked for, end with a line "Answer: …".';
const SEEN = "Use what holds in the replies you see, and correct what does not.";

/** The turn as a step: a round of TRINITY is a workflow of this one. */
export function toRoleStep(role: TurnRole, worker: number, context: RoleContext = {}): Step {
  const isAlone = role === "worker" && !context.sees;
  const step: Step = { worker, subtask: toInstruction(role, context), access: isAlone ? [] : "all-rounds" };
  // Only a Worker speaks to the user.
  return role === "worker" ? step : { ...step, isInterim: true };
}

/** The role whose instruction this subtask is; undefined for all that was not written here. */
export function roleOf(subtask: string): TurnRole | undefined {
  return ROLES.find((role) => subtask.startsWith(OPENINGS[role]));
}

function toInstruction(role: TurnRole, { sees = false, work }: RoleContext): string {
  const opening = OPENINGS[role];
  const named = work?.replace(/\s+/g, " ").trim();
  switch (role) {
    case "thinker":
      return `${opening}: say what the overall task asks and list the steps it takes${named ? ` to ${named}` : ""}. Where there are replies, say what in them holds, what is missing and what is wrong. Do not give the final answer. You may end with one line that suggests who goes on: "NEXT: worker", "NEXT: verifier" or "NEXT: thinker".`;
    case "worker":
      return `${opening}, step by step${named ? `: ${named}` : ""}. ${sees ? `${SEEN} ` : ""}${ANSWER}`;
    case "verifier":
      return `${opening}, by another way than it was made${named ? `: ${named} again` : ""}. That others agree proves nothing. The first line of your reply must be "VERDICT: ACCEPT" if the answer is right and complete, and "VERDICT: REVISE" if it is not or if there is none. After REVISE write a line "DIAGNOSIS: …" that says what is wrong.`;
  }
}

// ---- Reading replies ------------------------------------------------------------------------------

/** A line that is longer is prose, whatever it begins with. */
const LONGEST_LINE = 120;
const LONGEST_DIAGNOSIS = 2000;

/** Around a word of ours: markdown for bold, italics and headings. */
const VERDICT = /^[*_#\s]*verdict[*_\s]*:[*_\s]*(accept|revise)[*_.!\s]*$/i;
/** Looser on purpose: an annotated verdict is none, but it does contradict another one. */
const MENTIONED_VERDICT = /^[*_#\s]*verdict[*_\s]*:[*_\s]*(accept|revise)/i;
const DIAGNOSIS = /^[*_#\s]*diagnosis[*_\s]*:[*_\s]*/i;
const SUGGESTION = /^[*_#\s]*next[*_\s]*:[*_\s]*(thinker|worker|verifier)[*_.!\s]*$/i;

/** The verdict on the first line of a reply; undefined where there is none, or another line contradicts it. */
export function parseVerdict(reply: string): Verdict | undefined {
  const lines = ownLines(reply);
  const verdict = wordIn(lines[0], VERDICT) as Verdict["verdict"] | undefined;
  if (verdict === undefined) return undefined;
  for (const line of lines) {
    const other = wordIn(line?.slice(0, LONGEST_LINE), MENTIONED_VERDICT);
    if (other !== undefined && other !== verdict) return undefined;
  }
  const diagnosis = verdict === "revise" ? findDiagnosis(lines) : undefined;
  return diagnosis === undefined ? { verdict } : { verdict, diagnosis };
}

/** The role that the last line of a reply suggests; undefined where it does not, or another line contradicts it. */
export function parseSuggestion(reply: string): TurnRole | undefined {
  const lines = ownLines(reply);
  const suggested = wordIn(lines.at(-1), SUGGESTION);
  const isContradicted = lines.some((line) => (wordIn(line, SUGGESTION) ?? suggested) !== suggested);
  return isContradicted ? undefined : (suggested as TurnRole | undefined);
}

/** The first that says something; where the line ends at its label, the next line does. */
function findDiagnosis(lines: readonly OwnLine[]): string | undefined {
  for (const [number, line] of lines.entries()) {
    const label = line === undefined ? undefined : DIAGNOSIS.exec(line)?.[0];
    if (label === undefined) continue;
    const text = line!.slice(label.length) || lines[number + 1];
    const said = text?.trim().slice(0, LONGEST_DIAGNOSIS);
    if (said) return said;
  }
  return undefined;
}

function wordIn(line: OwnLine, pattern: RegExp): string | undefined {
  return line === undefined || line.length > LONGEST_LINE
    ? undefined
    : pattern.exec(line)?.[1]?.toLowerCase();
}

/** Undefined: the line has its place, but quotes somebody or is code, so it is not what the reply itself says. */
type OwnLine = string | undefined;

/** All lines that are not blank, without white space around them. */
function ownLines(reply: string): OwnLine[] {
  const said = withoutThought(reply);
  let fence: string | undefined;
  const lines: OwnLine[] = [];
  for (const raw of said.split(/\r\n|[\n\r\u2028\u2029]/)) {
    const line = raw.trim();
    if (line === "") continue;
    const mark = /^(?:`{3,}|~{3,})/.exec(line)?.[0];
    // A fence is closed by at least as many of its own signs, and nothing else on the line.
    const closes = fence !== undefined && line === mark && line.startsWith(fence);
    lines.push(fence !== undefined || mark !== undefined || line.startsWith(">") ? undefined : line);
    if (closes) fence = undefined;
    else fence ??= mark;
  }
  return lines;
}

/**
 * A reply may begin with what was thought aloud. Only there: an end of thought that somebody slipped into a quote must not
 * cut off the verdict before it. With two ends nobody can tell which is the real one, so nothing counts.
 */
function withoutThought(reply: string): string {
  if (!/^\s*<think>/.test(reply)) return reply;
  const parts = reply.split("</think>", 3);
  return parts.length === 2 ? parts[1]! : "";
}
