// Which tokens may follow: with this mask at inference every plan is a valid workflow of this pool, and says nothing that
// makes no sense: nobody checks who sees nothing, and no work is named that the question does not speak of. Training and
// the reported share of valid workflows never use it.

import type { Instruction } from "../../instruction/types.ts";
import type { Language } from "./language.ts";
import type { Sayable } from "./sayable.ts";

export interface GrammarOptions {
  /** Whether a slot is a model; else it is a tool, which needs two replies in sight. */
  isModel: (slot: number) => boolean;
  /** Slots of workers; those of the question's parts follow. */
  slots: number;
  sayable: Sayable;
  maxSteps: number;
  /** Where it is told, nothing is accepted either. */
  minSteps?: number;
  /** Steps of the round before; 0 in the first round. Later rounds may accept. */
  previousSteps: number;
  /** False: no model sees a reply, only tools do. By default models may. */
  handOffs?: boolean;
}

/** Whether a token may follow these. Where the pool has a model, some token always may. */
export function createGrammar(
  language: Language,
  options: GrammarOptions,
): (tokens: readonly number[]) => (token: number) => boolean {
  const { isModel, slots, sayable, maxSteps, minSteps = 0, previousSteps, handOffs = true } = options;
  const { vocabulary } = language;
  const slotOf = (token: number) =>
    token >= vocabulary && token < vocabulary + slots ? token - vocabulary : undefined;
  const hasModel = (team: readonly number[]) => team.some((slot) => isModel(slot));
  const isPart = (token: number) =>
    token >= vocabulary + slots && token < vocabulary + slots + sayable.parts.length;
  const seesSomething = (step: number) => handOffs && step + previousSteps > 0;

  /** A tool is told nothing that it heeds, so that it may be told anything. */
  const canSay = (step: number, team: readonly number[], { needs, slots: wanted }: Instruction) =>
    (needs === "nothing" || !isModel(team[step]!) || seesSomething(step)) &&
    (sayable.parts.length > 0 || !wanted.includes("part"));

  return (tokens) => {
    const { expects, team, sayings, accesses } = follow(language, tokens);
    switch (expects) {
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
      case "saying": {
        const step = sayings.length - 1;
        const [first, ...filled] = sayings[step]!;
        const instruction = first === undefined ? undefined : language.instructionOf(first);
        if (!instruction)
          return (token) => {
            const known = language.instructionOf(token);
            return known !== undefined && canSay(step, team, known);
          };
        switch (instruction.slots[filled.length]) {
          case "work":
            return (token) => sayable.works.has(language.workOf(token)!);
          case "part":
            return isPart;
          case "form":
            return (token) => language.formOf(token) !== undefined;
          default:
            return (token) => token === (step === team.length - 1 ? language.access : language.nextSubtask);
        }
      }
      case "access": {
        const step = accesses;
        const isTool = !isModel(team[step]!);
        const told = language.instructionOf(sayings[step]?.[0] ?? -1);
        const needs = isTool ? 2 : told && told.needs !== "nothing" ? 1 : 0;
        return (token) => {
          const positions = language.positionsOf(token);
          if (positions === undefined) return false;
          if (!isTool && !handOffs) return positions.length === 0;
          if (positions === "all") return step + previousSteps >= needs;
          // What was said in the round before is seen by "all" alone.
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
  expects: "worker" | "worker-end" | "saying" | "access" | "access-end" | "end";
  team: number[];
  /** What each step is told, the last one as far as it is written. */
  sayings: number[][];
  /** Access lists written so far. */
  accesses: number;
}

/** Where a text of the grammar stands. */
function follow(language: Language, tokens: readonly number[]): GrammarState {
  const state: GrammarState = { expects: "worker", team: [], sayings: [], accesses: 0 };
  for (const token of tokens) {
    if (state.expects === "worker") {
      if (token === language.accept) state.expects = "end";
      else {
        state.team.push(token - language.vocabulary);
        state.expects = "worker-end";
      }
    } else if (state.expects === "worker-end") {
      state.expects = token === language.next ? "worker" : "saying";
      if (state.expects === "saying") state.sayings.push([]);
    } else if (state.expects === "saying") {
      if (token === language.nextSubtask) state.sayings.push([]);
      else if (token === language.access) state.expects = "access";
      else state.sayings.at(-1)!.push(token);
    } else if (state.expects === "access") {
      state.accesses++;
      state.expects = "access-end";
    } else if (state.expects === "access-end") {
      state.expects = token === language.next ? "access" : "end";
    }
  }
  return state;
}
