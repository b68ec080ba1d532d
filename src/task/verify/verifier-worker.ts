// A verifier as a worker of the pool: a step that is no call. It says its verdict in the words of TRINITY's Verifier, so
// that whoever reads one reads the other. Whatever goes wrong in it, or takes too long, is no verdict and says why.

import { roleOf } from "../../conductor/trinity/roles.ts";
import { NO_USAGE } from "../../worker/price.ts";
import type { Brief, PoolMember, Task, Worker } from "../../worker/types.ts";
import type { Verification, Verifier } from "./types.ts";
import { findVerifier } from "./verifiers.ts";

const MOST_MS = 120_000;

export function createVerifierMember(
  find: (task: Task) => Verifier | undefined = findVerifier,
  timeoutMs = MOST_MS,
): PoolMember {
  return { worker: createVerifierWorker(find, timeoutMs), price: { inputUsd: 0, outputUsd: 0 } };
}

function createVerifierWorker(find: (task: Task) => Verifier | undefined, timeoutMs: number): Worker {
  return {
    id: "verifier",
    kind: "verifier",
    async *ask({ brief }, signal) {
      const verification = await verifyLatest(brief, find, timeoutMs, signal);
      yield { type: "text-delta", text: toVerdictText(verification) };
      yield { type: "finish", usage: NO_USAGE, reason: "stop" };
    },
  };
}

/** In the words that `parseVerdict` reads. */
export function toVerdictText({ holds, why }: Verification): string {
  const said = why.replace(/\s+/g, " ").trim().slice(0, 1000);
  if (holds === undefined) return `No verdict: ${said}`;
  return holds ? `VERDICT: ACCEPT\nREASON: ${said}` : `VERDICT: REVISE\nDIAGNOSIS: ${said}`;
}

async function verifyLatest(
  brief: Brief | undefined,
  find: (task: Task) => Verifier | undefined,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Verification> {
  const latest = brief?.visible.findLast(
    ({ subtask, isCombined }) => !isCombined && roleOf(subtask) !== "verifier",
  );
  if (!brief || !latest) return { holds: undefined, why: "there is no reply to verify" };
  const verifier = find(brief.task);
  if (!verifier) return { holds: undefined, why: "there is nothing to verify a reply with" };
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  try {
    return await Promise.race([verifier.verify(brief.task, latest.reply, either), rejected(either)]);
  } catch (error) {
    signal.throwIfAborted();
    const why = timeout.aborted ? `it took longer than ${timeoutMs / 1000} s` : (error as Error).message;
    return { holds: undefined, why: `the ${verifier.name} could not be checked: ${why}` };
  }
}

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
}
