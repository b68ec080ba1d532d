// Models that think aloud write `<think>…</think>` before what they say, and many servers pass that on as text. Thinking
// is no part of a reply: nobody reads it as the answer, and no other step is handed it. This parts the two while the text
// is still arriving, also where a tag is split over pieces.
// Some servers put the opening tag into the prompt, so that only `…</think>` arrives. What came before it is then taken
// back (`text-withdrawn`). From models that are known for it, and from a worker that has done it once, text is kept back
// until the tag or the end, so that none of it is ever shown as an answer. For readers who cannot take text back (clients
// of the gateway, pipes: `isFinal`) the first reply of a model that nobody knows is kept back, too, where it begins as
// models begin to think; its next ones stream.
// Covered: think, thinking and reasoning, at the beginning of a line and outside of code. Not covered: on a terminal the
// first such reply of a model that nobody knows, which is shown as it arrives, and its answer after it; and a model
// that begins to do so after a first reply that did not.

import { toModelName } from "./known-models.ts";

/** A piece of a reply, in the order in which it was written. */
export type Thought =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  /** What was given out as text until now was reasoning. */
  | { type: "withdrawn" }
  /** Kept back, because nobody knows this model; given out again as text or reasoning once that is known. */
  | { type: "held"; text: string };

export interface ThinkingFilter {
  push(piece: string): Thought[];
  /** What was kept back, once the text is over. */
  end(): Thought[];
  /** The server tells reasoning apart itself, so text is text from the beginning. */
  trust(): void;
  /** A closing tag came without an opening one. */
  readonly sawUnopened: boolean;
}

const OPEN = /^<(?:think|thinking|reasoning)\s*>/i;
const CLOSE = /^<\/(?:think|thinking|reasoning)\s*>/i;
const CLOSE_ANYWHERE = /<\/(?:think|thinking|reasoning)\s*>/i;
const TAGS = ["<think>", "<thinking>", "<reasoning>", "</think>", "</thinking>", "</reasoning>"];
const LONGEST_TAG = 24;
const FENCE = /^\s*(?:```|~~~)/;
const LONGEST_LINE = 64;

/** Their chat templates open the thinking themselves. */
const OPENED_BY_TEMPLATE = /(?:^|-)r1(?:-|$)|qwq|thinking|-think(?:-|$)|reasoner|reasoning/;

export function isKnownToThink(workerId: string): boolean {
  return OPENED_BY_TEMPLATE.test(toModelName(workerId));
}

/** `keepsBack`: the reply may be inside its thinking from the first letter. "unsure": and it may as well not be. */
export function createThinkingFilter(keepsBack: boolean | "unsure"): ThinkingFilter {
  let buffer = "";
  let isThinking = false;
  let kept: string | undefined = keepsBack ? "" : undefined;
  let isTrimming = true;
  let hasOpened = false;
  let hasText = false;
  let sawUnopened = false;
  let line = "";
  let isFenced = false;

  function take(text: string, thoughts: Thought[]): void {
    const given = isTrimming ? text.trimStart() : text;
    if (given === "") return;
    isTrimming = false;
    const lines = given.split("\n");
    for (const [at, part] of lines.entries()) {
      if (at > 0) {
        if (FENCE.test(line)) isFenced = !isFenced;
        line = "";
      }
      line = (line + part).slice(0, LONGEST_LINE);
    }
    if (kept !== undefined) {
      kept += given;
      if (keepsBack !== "unsure") return;
      if (soundsLikeThinking(kept)) thoughts.push({ type: "held", text: given });
      else {
        thoughts.push({ type: "text", text: kept });
        kept = undefined;
        hasText = true;
      }
    } else {
      hasText = true;
      thoughts.push({ type: "text", text: given });
    }
  }

  function open(tag: string): void {
    buffer = buffer.slice(tag.length);
    isThinking = true;
    hasOpened = true;
    release();
  }

  /** Whatever was kept back is text: returned by the next piece. */
  let released = "";
  function release(): void {
    released += kept ?? "";
    kept = undefined;
  }

  function close(tag: string, thoughts: Thought[]): void {
    buffer = buffer.slice(tag.length);
    sawUnopened = true;
    hasOpened = true;
    if (kept !== undefined) thoughts.push({ type: "reasoning", text: kept });
    else if (hasText) thoughts.push({ type: "withdrawn" });
    kept = undefined;
    [hasText, isTrimming, line, isFenced] = [false, true, "", false];
  }

  function readThinking(thoughts: Thought[]): boolean {
    const end = CLOSE_ANYWHERE.exec(buffer);
    if (!end) {
      const at = buffer.lastIndexOf("<");
      const keep = at >= 0 && couldBeTag(buffer.slice(at)) ? buffer.length - at : 0;
      const text = buffer.slice(0, buffer.length - keep);
      if (text !== "") thoughts.push({ type: "reasoning", text });
      buffer = buffer.slice(buffer.length - keep);
      return false;
    }
    if (end.index > 0) thoughts.push({ type: "reasoning", text: buffer.slice(0, end.index) });
    buffer = buffer.slice(end.index + end[0].length);
    isThinking = false;
    // The line that the thinking stood on goes on as a new one.
    [isTrimming, line] = [!hasText, ""];
    return buffer !== "";
  }

  function readText(thoughts: Thought[]): boolean {
    const at = buffer.indexOf("<");
    if (at !== 0) {
      take(at < 0 ? buffer : buffer.slice(0, at), thoughts);
      buffer = at < 0 ? "" : buffer.slice(at);
      return buffer !== "";
    }
    const opened = OPEN.exec(buffer)?.[0];
    const closed = opened === undefined ? CLOSE.exec(buffer)?.[0] : undefined;
    if (opened !== undefined && !isFenced && line.trim() === "") open(opened);
    else if (closed !== undefined && !isFenced && !hasOpened && !/[`"']$/.test(line)) close(closed, thoughts);
    else if (opened === undefined && closed === undefined && couldBeTag(buffer)) return false;
    else {
      take("<", thoughts);
      buffer = buffer.slice(1);
    }
    return buffer !== "";
  }

  function read(): Thought[] {
    const thoughts: Thought[] = [];
    while (buffer !== "" && (isThinking ? readThinking(thoughts) : readText(thoughts))) {}
    if (released !== "") thoughts.unshift({ type: "text", text: released });
    released = "";
    return thoughts;
  }

  return {
    push(piece) {
      buffer += piece;
      return read();
    },
    end() {
      release();
      const thoughts = read();
      const rest = buffer;
      buffer = "";
      if (rest !== "" && isThinking) thoughts.push({ type: "reasoning", text: rest });
      else if (rest !== "") take(rest, thoughts);
      return thoughts;
    },
    trust: release,
    get sawUnopened() {
      return sawUnopened;
    },
  };
}

/** How models begin to think aloud. An answer that begins so is kept back as well, once. */
const OPENERS = [
  ...["okay", "ok,", "alright", "hmm", "wait", "well,", "so ", "so,", "first", "let me", "let's", "let us"],
  ...[
    "the user",
    "the question",
    "we need",
    "we are",
    "we have",
    "i need",
    "i should",
    "i have to",
    "to solve",
  ],
];

/** As far as it has been written. */
function soundsLikeThinking(text: string): boolean {
  const start = text.slice(0, LONGEST_TAG).toLowerCase();
  return OPENERS.some((opener) => start.startsWith(opener) || opener.startsWith(start));
}

/** A "<" and what follows, which may still become a tag. */
function couldBeTag(text: string): boolean {
  if (text.length > LONGEST_TAG) return false;
  const start = text.toLowerCase();
  return TAGS.some((tag) => tag.startsWith(start) || start.trimEnd() === tag.slice(0, -1));
}
