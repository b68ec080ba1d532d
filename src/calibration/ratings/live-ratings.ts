// The ratings of one journal as profiles, kept up to date beside the questions: what is new is read at most once a minute and
// nobody waits for it; only the first question of a process waits for the first reading.

import type { FeedbackEvent, KeptFeedback, Store } from "../../store/types.ts";
import type { Pool } from "../../worker/types.ts";
import {
  createRatedProfiles,
  type Observation,
  type RatedOptions,
  type RatedProfiles,
  toObservations,
} from "./rated-profiles.ts";

/** Older ratings are not learned from. */
const MOST_RATINGS = 10_000;
const NEW_MS = 60_000;
/** All are read anew this often: some may have been deleted, or their content. */
const ALL_MS = 3_600_000;

export interface LiveRatings {
  /** What belongs to no question may be asked with an empty text. */
  poolFor(pool: Pool, text: string, options?: RatedOptions): Pool;
  /** Done when they are known for the first time. Never rejects: without them questions are answered as before. */
  ready(): Promise<void>;
}

export interface LiveRatingsOptions {
  halfLifeDays: number;
  now?: () => number;
  notice?: (text: string) => void;
}

export function createLiveRatings(
  openStore: () => Promise<Pick<Store, "listFeedback">>,
  { halfLifeDays, now = Date.now, notice = () => {} }: LiveRatingsOptions,
): LiveRatings {
  let kept: KeptFeedback[] = [];
  let profiles: RatedProfiles | undefined;
  let reading: Promise<void> | undefined;
  let [newAt, allAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];

  async function read(): Promise<void> {
    const at = now();
    const isWhole = at - allAt >= ALL_MS;
    const after = isWhole ? 0 : (kept[0]?.place ?? 0);
    const found = await (await openStore()).listFeedback({ limit: MOST_RATINGS, after });
    newAt = at;
    if (isWhole) allAt = at;
    kept = isWhole ? found : [...found, ...kept].slice(0, MOST_RATINGS);
    // With time they count less, also where there is nothing new: the hourly reading sees to it.
    if (isWhole || found.length > 0)
      profiles = createRatedProfiles(toObservations(eventsOf(kept)), { halfLifeDays, now: at });
  }

  function refresh(): Promise<void> {
    if (reading || now() - newAt < NEW_MS) return reading ?? Promise.resolve();
    reading = read()
      .catch((error: unknown) => {
        newAt = now();
        notice(
          `Ratings could not be read, so nothing is learned from them for now: ${(error as Error).message}`,
        );
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  }

  return {
    poolFor(pool, text, options) {
      void refresh();
      return profiles?.poolFor(pool, text, options) ?? pool;
    },
    async ready() {
      if (newAt === Number.NEGATIVE_INFINITY) await refresh();
    },
  };
}

/** All that a journal has, once: for `train`. */
export async function loadObservations(store: Pick<Store, "listFeedback">): Promise<Observation[]> {
  return toObservations(eventsOf(await store.listFeedback({ limit: MOST_RATINGS })));
}

function eventsOf(kept: readonly KeptFeedback[]): FeedbackEvent[] {
  return kept.map(({ event }) => event);
}
