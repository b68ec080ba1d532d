// What each worker was told, word for word: made again from the journal by the same pure functions that made it.
// Of a step that was asked several times it is what it was told last; earlier turns are inside of it.

import { fold } from "../../perform/state.ts";
import { toBrief } from "../../perform/visible.ts";
import { toMessages } from "../../worker/brief.ts";
import type { Message } from "../../worker/types.ts";
import type { StepMessages } from "../dashboard/types.ts";
import type { Handler } from "../types.ts";
import { loadOwnRun } from "./runs.ts";

export const showMessages: Handler = async (context, visit) => {
  const { events } = await loadOwnRun(context, visit, visit.id);
  const state = fold(events)!;
  const isStripped = events[0]?.type === "run-start" && events[0].isStripped === true;
  const data = isStripped
    ? []
    : state.rounds.flatMap(({ steps }, round) =>
        steps.flatMap(({ startedAt, worker }, step): StepMessages[] => {
          if (startedAt === undefined) return [];
          const messages = toMessages(toBrief(state, round, step)).map(toSent);
          return [{ round, step, workerId: state.pool[worker]?.id ?? "", messages }];
        }),
      );
  visit.connection.json(200, { object: "list", data, isStripped });
};

/** Where the user's own text ends is a note for us, and no part of what is sent. */
function toSent(message: Message): Message {
  if (message.role !== "user") return message;
  const { ownLength: _, ...sent } = message;
  return sent;
}
