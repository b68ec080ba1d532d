// Which tokens may follow: with this mask at inference every plan is a valid workflow of this pool. Training
// and the reported share of valid workflows never use it.

import type { Language } from "./language.ts";

export interface GrammarOptions {
  /** Whether a slot is a model; else it is a tool, which needs two replies in sight. */
  isModel: (slot: number) => boolean;
  slots: number;
  maxSteps: number;
  /** Where it is told, nothing is accepted either. */
  minSteps?: number;
  /** Steps of the round before; 0 in the first round. Later rounds may accept. */
  previousSteps: number;
  /** The most tokens of one subtask. */
  maxWords: number;
  /** False: no model sees a reply, only tools do. By default models may. */
  handOffs?: boolean;
}

/** Whether a token may follow these. Where the pool has a model, some token always may. */
export function createGrammar(
  language: Language,
  options: GrammarOptions,
): (tokens: readonly number[]) => (token: number) => boolean {
  const { isModel, slots, maxSteps, minSteps = 0, previousSteps, maxWords, handOffs = true } = options;
  const { vocabulary } = language;
  const slotOf = (token: number) =>
    token >= vocabulary && token < vocabulary + slots ? token - vocabulary : undefined;
  const hasModel = (team: readonly number[]) => team.some((slot) => isModel(slot));

  return (tokens) => {
    const state = follow(language, tokens);
    const { team, words, accesses } = state;
    switch (state.expects) {
      case "worker":
        return (token) => {
          const slot = slotOf(token);
          if (slot === undefined)
            return token === language.accept && team.length === 0 && previousSteps > 0 && minSteps === 0;
          if (isModel(slot)) return true;
          // A tool can only compare what others said, and somebody has to be asked: before it, or still after.
          return team.length + previousSteps >= 2 && (hasModel(team) || team.length + 1 < maxSteps);
        };
      case "worker-end":
        return (token) =>
          (token === language.subtasks && hasModel(team) && team.length >= minSteps) ||
          (token === language.next && team.length < maxSteps);
      case "words": {
        const isLast = state.subtask === team.length - 1;
        const closing = isLast ? language.access : language.nextSubtask;
        return (token) =>
          (token === closing && words > 0) ||
          // What begins with something to read is never blank.
          (language.isWord(token) && words < maxWords && !(words === 0 && language.isBlank(token)));
      }
      case "access": {
        const step = accesses;
        const needs = isModel(team[step]!) ? 0 : 2;
        const isBlind = needs === 0 && !handOffs;
        return (token) => {
          const positions = language.positionsOf(token);
          if (positions === undefined) return false;
          if (isBlind) return positions.length === 0;
          if (positions === "all") return step + previousSteps >= needs;
          return positions.length >= needs && positions.every((position) => position < step);
        };
      }
      case "access-end":
        return (token) => token === (accesses < team.length ? language.next : language.close);
      case "end":
        return (token) => token === language.end;
    }
  };
}

interface GrammarState {
  expects: "worker" | "worker-end" | "words" | "access" | "access-end" | "end";
  team: number[];
  /** Which subtask is being written, and how many tokens it has. */
  subtask: number;
  words: number;
  /** Access lists written so far. */
  accesses: number;
}

/** Where a text of the grammar stands. */
function follow(language: Language, tokens: readonly number[]): GrammarState {
  const state: GrammarState = { expects: "worker", team: [], subtask: 0, words: 0, accesses: 0 };
  for (const token of tokens) {
    if (state.expects === "worker") {
      if (token === language.accept) state.expects = "end";
      else {
        state.team.push(token - language.vocabulary);
        state.expects = "worker-end";
      }
    } else if (state.expects === "worker-end") {
      state.expects = token === language.next ? "worker" : "words";
    } else if (state.expects === "words") {
      if (token === language.nextSubtask) {
        state.subtask++;
        state.words = 0;
      } else if (token === language.access) state.expects = "access";
      else state.words++;
    } else if (state.expects === "access") {
      state.accesses++;
      state.expects = "access-end";
    } else if (state.expects === "access-end") {
      state.expects = token === language.next ? "access" : "end";
    }
  }
  return state;
}
