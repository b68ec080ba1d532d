// What models write is shown in a terminal, and a terminal obeys escape sequences: they move the cursor,
// change the title, fill the clipboard. This takes them out, also where one is split over two deltas.
// Covered: C0 and C1 controls, ANSI sequences of either form, bidirectional overrides, half a surrogate
// pair. Kept: line feeds, tabs and all other text. `--json` is not touched: there the text is data.

const ESC = 0x1b;
const BEL = 0x07;
const LINE_FEED = 0x0a;
/** Ends a string sequence, in one character. */
const STRING_TERMINATOR = 0x9c;
/** A sequence that never ends must not swallow the answer: after so many characters text goes on. */
const LONGEST_SEQUENCE = 2048;
const REPLACEMENT = "\ufffd";

/**
 * What the character just read belongs to. ground: text. escape: ESC and what may follow. csi: parameters
 * before a final letter. string: OSC, DCS and the like. string-escape: ESC in such a string. over: the last
 * character of a sequence.
 */
type SanitiserState = "ground" | "escape" | "csi" | "string" | "string-escape" | "over";

const OPENERS = new Map<number, SanitiserState>([
  [ESC, "escape"],
  [0x9b, "csi"],
  ...[0x90, 0x98, 0x9d, 0x9e, 0x9f].map((code): [number, SanitiserState] => [code, "string"]),
]);

export interface Sanitiser {
  /** The safe part of this piece. Half a character is kept back until its other half arrives. */
  push(text: string): string;
  /** What was kept back. */
  end(): string;
}

export function createSanitiser(): Sanitiser {
  let state: SanitiserState = "ground";
  let length = 0;
  let half = "";

  return {
    push(text) {
      const whole = half + text;
      half = /[\ud800-\udbff]$/.exec(whole)?.[0] ?? "";
      let safe = "";
      for (const character of whole.slice(0, whole.length - half.length)) {
        const code = character.codePointAt(0)!;
        state = next(state, code);
        length = isInside(state) ? length + 1 : 0;
        if (length > LONGEST_SEQUENCE) state = "ground";
        if (state === "ground" && !isUnsafe(code)) safe += isSurrogate(code) ? REPLACEMENT : character;
      }
      return safe;
    },
    end() {
      const rest = half === "" ? "" : REPLACEMENT;
      half = "";
      state = "ground";
      return rest;
    },
  };
}

/** A whole text at once. */
export function sanitise(text: string): string {
  const sanitiser = createSanitiser();
  return sanitiser.push(text) + sanitiser.end();
}

/** For places where a text must stay on its line. */
export function toOneLine(text: string): string {
  return sanitise(text).replace(/\s+/g, " ").trim();
}

function next(state: SanitiserState, code: number): SanitiserState {
  if (state === "string" && code === ESC) return "string-escape";
  const opened = OPENERS.get(code);
  if (opened) return opened;
  switch (state) {
    case "escape":
    case "string-escape":
      if (code === 0x5b) return "csi";
      if (isOneOf("]PX^_", code)) return "string";
      if (code >= 0x20 && code <= 0x2f) return "escape";
      return code >= 0x30 && code <= 0x7e ? "over" : "ground";
    case "csi":
      if (code >= 0x20 && code <= 0x3f) return "csi";
      return code >= 0x40 && code <= 0x7e ? "over" : "ground";
    case "string":
      if (code === LINE_FEED) return "ground";
      return code === BEL || code === STRING_TERMINATOR ? "over" : "string";
    default:
      return "ground";
  }
}

function isInside(state: SanitiserState): boolean {
  return state !== "ground" && state !== "over";
}

function isOneOf(characters: string, code: number): boolean {
  return code < 0x80 && characters.includes(String.fromCharCode(code));
}

/** Half a pair on its own: whole characters are iterated as one. */
function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

function isUnsafe(code: number): boolean {
  if (code < 0x20) return code !== LINE_FEED && code !== 0x09;
  if (code >= 0x7f && code <= 0x9f) return true;
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/**
 * JSON for standard output. The text stays what it is, but whatever a terminal would obey is written as an
 * escape: JSON itself does that for C0 controls only.
 */
export function toJson(value: unknown, indent = 2): string {
  const isObeyed = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
  return JSON.stringify(value, null, indent).replace(
    isObeyed,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
