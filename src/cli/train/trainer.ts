// From settings to what trains: each kind of Conductor has its own, and is loaded only when it is wanted.

import { loadRepertoire } from "../../instruction/repertoire.ts";
import { GENERIC_REPERTOIRE } from "../../learn/native/generic-repertoire.ts";
import type { TrainOptions } from "../../learn/native/learner.ts";
import type { TrainResult } from "../../learn/train.ts";
import type { NativeSettings, TrainSettings } from "./input.ts";
import type { WatchedOptions } from "./run.ts";
import type { TrinitySettings } from "./trinity-input.ts";

export type Trainer = (options: WatchedOptions) => Promise<TrainResult>;

/** `command` repeats the training, for the card. */
export function createTrainer(settings: TrainSettings, command: string): Trainer {
  if (settings.what === "trinity") return createTrinityTrainer(settings, command);
  return async (watched) => {
    const { trainNative } = await import("../../learn/native/learner.ts");
    return trainNative(toNativeOptions(settings, command, watched));
  };
}

export function toNativeOptions(
  settings: NativeSettings,
  command: string,
  watched: WatchedOptions,
): TrainOptions {
  const { what: _, world: __, pools: ___, words, repertoire: file, width, layers, ...rest } = settings;
  const repertoire = words === "generic" ? GENERIC_REPERTOIRE : loadRepertoire(file);
  return { ...rest, repertoire, shape: { width, layers }, command, ...watched };
}

function createTrinityTrainer(settings: TrinitySettings, command: string): Trainer {
  return async (watched) => {
    const [{ trainPolicy }, { openTrinityPolicy }] = await Promise.all([
      import("../../learn/evolution/learner.ts"),
      import("../../learn/evolution/trinity-policy.ts"),
    ]);
    const { what: _, world: __, pools: ___, hasRoles, turns, ...rest } = settings;
    const { seed, costPerCall } = settings;
    const policy = await openTrinityPolicy({
      ...{ world: watched.world, hasRoles, turns, seed, costPerCall, command },
    });
    return trainPolicy({ ...rest, policy, ...watched });
  };
}
