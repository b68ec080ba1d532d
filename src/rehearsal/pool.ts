// The rehearsal pool: seven simulated workers with prices and measured profiles. No key, no network.

import type { Pool } from "../worker/types.ts";
import { PLAYERS } from "./players.ts";
import { measureProfiles } from "./profiles.ts";
import { createRehearsalWorker } from "./workers.ts";

/** Short enough that a run takes a second or so, long enough to see the waves. */
const DELAY_SCALE = 0.3;

interface RehearsalOptions {
  /** 1 is simulated time as it is, 0 no delay at all. */
  delayScale?: number;
  /** Problems per topic behind each profile: more make finer estimates, and take longer. */
  calibrationTasks?: number;
}

export function createRehearsalPool(options: RehearsalOptions = {}): Pool {
  const { delayScale = DELAY_SCALE, calibrationTasks } = options;
  const profiles = measureProfiles(calibrationTasks);
  return {
    members: PLAYERS.map((player) => ({
      worker: createRehearsalWorker(player, delayScale),
      price: player.price,
      profile: profiles.get(player.id),
      source: "rehearsal (simulated)",
    })),
  };
}
