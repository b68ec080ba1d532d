// Questions as they are asked, embedded once each: remembered by text, within a short time, and without any error. A server
// that failed is left alone for a while, so that a question does not wait for one that is down.

import { messageOf } from "../../base/errors.ts";
import type { QuestionEncoder } from "./encoder.ts";

const TIMEOUT_MS = 3_000;
const PAUSE_MS = 60_000;
const REMEMBERED = 512;

export interface LiveQuestions {
  /** Of the encoder. */
  readonly id: string;
  /** Undefined where it could not be had, which is said once. `dimension`: what measured questions have. */
  embed(text: string, dimension: number, signal?: AbortSignal): Promise<Float32Array | undefined>;
  /** Says that embeddings are not used, and why. */
  goOnWithout(why: string): void;
}

export interface LiveQuestionsOptions {
  /** Hears one line, once for each reason that is not the one before. */
  notice: (text: string) => void;
  timeoutMs?: number;
  now?: () => number;
}

export function createLiveQuestions(
  encoder: QuestionEncoder,
  { notice, timeoutMs = TIMEOUT_MS, now = Date.now }: LiveQuestionsOptions,
): LiveQuestions {
  /** The same question may be asked twice at once. */
  const known = new Map<string, Promise<Float32Array | undefined>>();
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let said: string | undefined;

  function goOnWithout(why: string): void {
    if (why === said) return;
    said = why;
    notice(`Embeddings by ${encoder.id} are not used: ${why}. Questions are read without them.`);
  }

  async function ask(text: string, signal: AbortSignal | undefined): Promise<Float32Array | undefined> {
    const late = AbortSignal.timeout(timeoutMs);
    try {
      const [vector] = await encoder.encode([text], signal ? AbortSignal.any([signal, late]) : late);
      said = undefined;
      return vector;
    } catch (error) {
      known.delete(text);
      // Whoever stops a question says nothing about the server.
      if (signal?.aborted) return undefined;
      pausedUntil = now() + PAUSE_MS;
      goOnWithout(messageOf(error));
      return undefined;
    }
  }

  return {
    id: encoder.id,
    goOnWithout,
    async embed(text, dimension, signal) {
      if (text === "") return undefined;
      let asking = known.get(text);
      if (!asking) {
        if (now() < pausedUntil) return undefined;
        if (known.size >= REMEMBERED) known.delete(known.keys().next().value!);
        asking = ask(text, signal);
        known.set(text, asking);
      }
      const vector = await asking;
      if (vector === undefined || vector.length === dimension) return vector;
      goOnWithout(
        `it has ${vector.length} numbers for a question where measured ones have ${dimension} (tutti pool calibrate embeds those again)`,
      );
      return undefined;
    },
  };
}
