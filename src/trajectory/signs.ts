// Reads how a tool loop is going: how often in a row it failed, whether the same error or the same calls come again.

import type { Exchange, Message, ToolCall } from "../worker/types.ts";
import { readToolOutcome, type ToolOutcome } from "./tool-outcome.ts";
import type { Signs, StuckSign } from "./types.ts";

/** So many times in a row make a loop stuck. Set by hand: no other numbers were tried. */
const STUCK_AFTER: Record<StuckSign, number> = { "same-error": 3, loop: 3, "no-progress": 6 };

interface Turn {
  worker: number | undefined;
  calls: string;
  results: string;
  outcomes: ToolOutcome[];
}

/** Of the whole conversation: the turns that it began with and those of the loop under way. */
export function readSigns(messages: readonly Message[], exchanges: readonly Exchange[]): Signs {
  return signsOf([...toEarlierTurns(messages), ...toTurns(exchanges)]);
}

function signsOf(turns: readonly Turn[]): Signs {
  const newest = turns.at(-1);
  const error = newest?.outcomes.find(({ failed }) => failed)?.signature;
  const inARow = (holds: (turn: Turn) => boolean) => {
    const broken = turns.findLastIndex((turn) => !holds(turn));
    return turns.length - 1 - broken;
  };
  const failures = inARow(hasFailed);
  const signs: Signs = {
    turns: turns.length,
    passes: turns.filter((turn) => !hasFailed(turn)).length,
    failures,
    sameError:
      error === undefined
        ? 0
        : inARow(({ outcomes }) => outcomes.some(({ failed, signature }) => failed && signature === error)),
    repeats: newest
      ? inARow(({ calls, results }) => calls === newest.calls && results === newest.results)
      : 0,
    badTurnsOf: [],
    tests: turns.flatMap(({ outcomes }) => outcomes.flatMap(({ tests }) => tests ?? [])).at(-1),
  };
  const bad = Math.max(failures, signs.sameError, signs.repeats);
  signs.badTurnsOf = turns.slice(turns.length - bad).map(({ worker }) => worker);
  if (newest?.outcomes.some(({ tests }) => tests !== undefined)) signs.isTestedLast = true;
  return { ...signs, stuck: toStuck(signs) };
}

function toStuck({ sameError, repeats, failures }: Signs): StuckSign | undefined {
  if (repeats >= STUCK_AFTER.loop) return "loop";
  if (sameError >= STUCK_AFTER["same-error"]) return "same-error";
  return failures >= STUCK_AFTER["no-progress"] ? "no-progress" : undefined;
}

function hasFailed({ outcomes }: Turn): boolean {
  return outcomes.some(({ failed }) => failed);
}

function toTurns(exchanges: readonly Exchange[]): Turn[] {
  return exchanges.flatMap((exchange) => {
    if (!exchange.results) return [];
    return [
      readOnce(exchange, () => toTurn(exchange.reply.toolCalls ?? [], exchange.results!, exchange.worker)),
    ];
  });
}

/** Since the user last said something: what failed before was another errand. */
function toEarlierTurns(messages: readonly Message[]): Turn[] {
  const from = messages.findLastIndex(({ role }) => role === "user");
  const turns: Turn[] = [];
  let results: { content: string }[] = [];
  let calls: readonly ToolCall[] = [];
  const end = () => {
    if (results.length > 0) turns.push(toTurn(calls, results));
    results = [];
  };
  for (const message of messages.slice(from + 1)) {
    if (message.role === "assistant") {
      end();
      calls = message.toolCalls ?? [];
    } else if (message.role === "tool") results.push(message);
  }
  end();
  return turns;
}

function toTurn(calls: readonly ToolCall[], results: readonly { content: string }[], worker?: number): Turn {
  return {
    worker,
    calls: JSON.stringify(calls.map(({ name, input }) => [name, input])),
    results: JSON.stringify(results.map(({ content }) => content)),
    outcomes: results.map(({ content }) => readToolOutcome(content)),
  };
}

/** An exchange never changes: what it tells is read once, however long the loop goes on. */
const read = new WeakMap<Exchange, Turn>();

function readOnce(exchange: Exchange, make: () => Turn): Turn {
  const turn = read.get(exchange) ?? make();
  read.set(exchange, turn);
  return turn;
}
