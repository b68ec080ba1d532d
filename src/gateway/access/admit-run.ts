// A run is let in as any request is (admission.ts), and by what it holds in memory until it is over.

import { TuttiError } from "../../base/errors.ts";
import type { GatewayContext } from "../context.ts";
import type { Admission, Wanted } from "./admission.ts";
import type { GatewayKey } from "./keys.ts";

export interface WantedRun extends Wanted {
  /** Of its conversation, and of what it has said so far. */
  bytes: number;
  /** How often it is sent at the same moment; by default once. */
  copies?: number;
  /** The conversation comes from a request: it may be no larger than a body that holds all of it. */
  isNew?: boolean;
}

export async function admitRun(
  { admission, held, config }: Pick<GatewayContext, "admission" | "held" | "config">,
  key: GatewayKey | undefined,
  { bytes, copies = 1, isNew, ...wanted }: WantedRun,
): Promise<Admission> {
  const { maxBodyBytes } = config.gateway;
  if (isNew && bytes > maxBodyBytes)
    throw new TuttiError(
      "too-large",
      `This conversation has ${(bytes / 1e6).toFixed(1)} MB with all that it goes on from; ${maxBodyBytes / 1e6} MB are taken. Begin a new one.`,
    );
  const letGo = held.take(key, bytes * Math.max(1, copies));
  try {
    const admitted = await admission.admit(key, wanted);
    return {
      ...admitted,
      release(written) {
        letGo();
        admitted.release(written);
      },
    };
  } catch (error) {
    letGo();
    throw error;
  }
}
