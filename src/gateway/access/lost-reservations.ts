// Money that a killed process had reserved. It counts as spent until somebody has looked into the journal: then what is
// known to have been asked is journaled with all that it can have cost, marked as estimated, and the rest is free again.

import type { Log } from "../../http/log.ts";
import { toLost } from "../../perform/pick-up.ts";
import { fold } from "../../perform/state.ts";
import type { LostReservation } from "../../store/reservation.ts";
import type { Owner, Store } from "../../store/types.ts";

/** Says that this gateway lives, and settles for those that do not. Never rejects: it is tried again. */
export async function settleLost(store: Store, owner: Owner, log: Log): Promise<void> {
  try {
    for (const lost of await store.renewReservations(owner)) await settle(store, owner, lost, log);
  } catch (error) {
    log.warn("reservations of ended processes could not be settled", { error });
  }
}

/** Each step may be the last one of this process too: done again it does no harm. */
async function settle(store: Store, owner: Owner, lost: LostReservation, log: Log): Promise<void> {
  const { id, runId, lostEvents } = lost;
  // Who performs it now has counted what was lost when it was picked up.
  if (await store.claim(runId, owner)) {
    try {
      const state = fold(await store.loadRun(runId));
      const events = state ? (state.ended ? [] : toLost(state, Date.now())) : lostEvents;
      if (events.length > 0) await store.append(events, owner);
      if (events.length > 0)
        log.warn("a request was lost with its process and counts as spent", { run: runId });
    } finally {
      await store.release(runId, owner);
    }
  }
  await store.unreserve(id);
}
