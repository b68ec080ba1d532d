// How the next token of a plan is taken: the likeliest one or one by lot; of all tokens, or of those after which
// the plan can still become a valid workflow that fits into its length.

import { createRandom } from "../../base/random.ts";
import { createGrammar, type GrammarOptions } from "./grammar.ts";
import type { Language } from "./language.ts";

/** The next token, from the chances of all tokens and what was written so far. */
export type TakeToken = (chances: Float32Array, tokens: readonly number[]) => number;

/** What may follow these tokens. */
export type Mask = (tokens: readonly number[]) => (token: number) => boolean;

/** Without a seed the likeliest token, with one by lot; without a mask any token. */
export function createTaker({ mask, seed }: { mask?: Mask; seed?: number } = {}): TakeToken {
  const random = seed === undefined ? undefined : createRandom(seed);
  return (chances, tokens) => {
    const isAllowed = mask ? mask(tokens) : isAny;
    return random ? takeByLot(chances, isAllowed, random.next()) : takeLikeliest(chances, isAllowed);
  };
}

const isAny = () => true;

function takeLikeliest(chances: Float32Array, isAllowed: (token: number) => boolean): number {
  let best = -1;
  for (let token = 0; token < chances.length; token++) {
    if ((best < 0 || chances[token]! > chances[best]!) && isAllowed(token)) best = token;
  }
  return best;
}

/** `lot` is in [0, 1). Chances of what is not allowed go to the rest in proportion. */
function takeByLot(chances: Float32Array, isAllowed: (token: number) => boolean, lot: number): number {
  const allowed: number[] = [];
  let total = 0;
  for (let token = 0; token < chances.length; token++) {
    if (chances[token] === 0 || !isAllowed(token)) continue;
    allowed.push(token);
    total += chances[token]!;
  }
  let rest = lot * total;
  for (const token of allowed) {
    rest -= chances[token]!;
    if (rest < 0) return token;
  }
  // Nothing allowed has a chance that a float can hold, or the sum lacks a hair.
  return allowed.at(-1) ?? takeLikeliest(chances, isAllowed);
}

// ---- The mask -----------------------------------------------------------------------------------------

/** Every plan that follows it is a valid workflow, and ends within `length` tokens. */
export function createMask(
  language: Language,
  options: Omit<GrammarOptions, "maxWords">,
  length: number,
): Mask {
  const grammar = createGrammar(language, { ...options, maxWords: length });
  return (tokens) => {
    const isAllowed = grammar(tokens);
    const first = tokens.indexOf(language.subtasks);
    if (first < 0 || tokens.includes(language.access)) return isAllowed;
    const team = tokens.slice(0, first).filter((token) => token >= language.vocabulary).length;
    const inside = tokens.slice(first + 1);
    const closed = inside.filter((token) => token === language.nextSubtask).length;
    const free = length - fixedTokens(team) - (inside.length - closed);
    // Each later subtask needs a word too.
    const hasRoom = free > team - 1 - closed;
    return (token) => (hasRoom || !language.isWord(token)) && isAllowed(token);
  };
}

/** All but the words of a workflow: workers, access lists, what stands between them, and the end. */
function fixedTokens(steps: number): number {
  return 5 * steps + 1;
}
