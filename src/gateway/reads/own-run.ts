// One run of the journal, for whoever may see it: what its routes show is made here, so that a run of megabytes is read,
// folded and written as text where nobody else has to wait for it.

import { TuttiError } from "../../base/errors.ts";
import { toRun } from "../../perform/run.ts";
import { fold } from "../../perform/state.ts";
import { toBrief } from "../../perform/visible.ts";
import type { RunEvent, Store } from "../../store/types.ts";
import { toMessages } from "../../worker/brief.ts";
import { toOwnMessages, withoutOriginal } from "../../worker/exchanges.ts";
import type { Message } from "../../worker/types.ts";
import type { GatewayKey } from "../access/keys.ts";
import type { StepMessages } from "../dashboard/types.ts";

/** The id of a key that sees its own runs alone. Undefined: an admin's, or a gateway without keys. */
export type Viewer = string | undefined;

export function toViewer(key: GatewayKey | undefined): Viewer {
  return key?.isAdmin ? undefined : key?.id;
}

/** Its events, if it is there and the key may see it: else both are "not found". Never empty. */
export async function loadOwnEvents(store: Store, id: string, viewer: Viewer): Promise<RunEvent[]> {
  // "t_" are samples of trainings, performed into the journal to be looked at.
  const events = /^(r_[\w.]+|t_[\w.-]+)$/.test(id) ? await store.loadRun(id) : [];
  const start = startOf(events);
  const owner = start?.parent ? startOf(await store.loadRun(topOf(id))) : start;
  if (start && (viewer === undefined || owner?.origin?.keyId === viewer)) return events;
  throw new TuttiError("not-found", `There is no run "${id.slice(0, 60)}".`);
}

/** With the runs within it. */
export async function showOwnRun(store: Store, id: string, viewer: Viewer): Promise<object> {
  const run = toRun(fold(await loadOwnEvents(store, id, viewer))!);
  const ids = run.steps.flatMap(({ nestedRunId }) => nestedRunId ?? []);
  const states = await Promise.all(ids.map(async (nested) => fold(await store.loadRun(nested))));
  const nested = states.flatMap((state) => (state ? [toRun(state)] : []));
  return { ...run, nested: ids.length > 0 ? nested : undefined };
}

/**
 * What each worker was told, word for word: made again from the journal by the same pure functions that made it. Of a step
 * that was asked several times it is what it was told last; earlier turns are inside of it.
 */
export async function showOwnMessages(store: Store, id: string, viewer: Viewer): Promise<object> {
  const events = await loadOwnEvents(store, id, viewer);
  const state = fold(events)!;
  const isStripped = startOf(events)?.isStripped === true;
  const data = isStripped
    ? []
    : state.rounds.flatMap(({ steps }, round) =>
        steps.flatMap(({ startedAt, worker }, step): StepMessages[] => {
          if (startedAt === undefined) return [];
          const workerId = state.pool[worker]?.id ?? "";
          const messages = toOwnMessages(toMessages(toBrief(state, round, step)), workerId);
          return [{ round, step, workerId, messages: messages.map(toSent) }];
        }),
      );
  return { object: "list", data, isStripped };
}

/** Where the user's own text ends and what another worker said is a note for us, and no part of what is sent. */
function toSent(message: Message): Message {
  if (message.role !== "user") return withoutOriginal(message);
  const { ownLength: _, ...sent } = message;
  return sent;
}

function startOf([first]: readonly RunEvent[]) {
  return first?.type === "run-start" ? first : undefined;
}

function topOf(id: string): string {
  return id.split(".")[0]!;
}
