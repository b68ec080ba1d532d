// One model in several places: other keys, regions or servers. A conversation goes where it went before, because that is where
// its cache is; places share conversations by their weights; one that fails is left alone for a while, and another takes over
// where nothing was said yet.

import { hash } from "node:crypto";
import { isTuttiError, type TuttiError } from "../base/errors.ts";
import { isObject, toFields } from "../base/fields.ts";
import type { PoolMember, Worker, WorkerRequest } from "../worker/types.ts";
import { referenceOf, relayTargetOf, rememberReference, rememberTargets } from "./endpoint.ts";

export interface Deployment {
  member: PoolMember;
  weight: number;
}

/** After a failure that is its own, where it does not say for how long. */
const COOL_DOWN_MS = 30_000;
const LONGEST_COOL_DOWN_MS = 600_000;
const LONGEST_AFFINITY = 2_000;
const IS_OWN_FAULT = new Set([
  "rate-limited",
  "auth",
  "unreachable",
  "provider-error",
  "timeout",
  "stream-cut",
]);

/** Another place of the same model may well answer. */
export function isFaultOfPlace({ code }: TuttiError): boolean {
  return IS_OWN_FAULT.has(code);
}

export function createDeployedMember(
  id: string,
  deployments: readonly Deployment[],
  now: () => number = Date.now,
): PoolMember {
  const restUntil = deployments.map(() => 0);

  /** By a number of its own for each conversation and place: as many conversations as its weight says, and always the same. */
  function inOrder(affinity: string): number[] {
    const rank = ({ weight }: Deployment, at: number) => -weight / Math.log(toShare(`${at} ${affinity}`));
    const ranks = deployments.map(rank);
    const isResting = (at: number) => restUntil[at]! > now();
    return [...deployments.keys()].sort(
      (a, b) => Number(isResting(a)) - Number(isResting(b)) || ranks[b]! - ranks[a]!,
    );
  }

  function rest(at: number, { retryAfterMs = COOL_DOWN_MS }: TuttiError): void {
    restUntil[at] = now() + Math.min(retryAfterMs, LONGEST_COOL_DOWN_MS);
  }

  const counting = deployments[0]!.member.worker.countInput;
  const worker: Worker = {
    id,
    kind: "model",
    // The same model, wherever it stands.
    ...(counting && { countInput: counting }),
    async *ask(request, signal) {
      const order = inOrder(affinityOf(request));
      for (const [tries, at] of order.entries()) {
        let hasBegun = false;
        try {
          for await (const event of deployments[at]!.member.worker.ask(request, signal)) {
            hasBegun = true;
            yield event;
          }
          return;
        } catch (error) {
          if (!isTuttiError(error) || !isFaultOfPlace(error)) throw error;
          rest(at, error);
          if (hasBegun || tries === order.length - 1) throw error;
        }
      }
    },
  };
  const [first] = deployments;
  rememberTargets(worker, (affinity) => {
    const at = inOrder(affinity)[0]!;
    const failed = (error: TuttiError) => {
      if (isFaultOfPlace(error)) rest(at, error);
    };
    return { ...relayTargetOf(deployments[at]!.member.worker)!, places: deployments.length, failed };
  });
  const [provider = "", ...model] = (referenceOf(first!.member.worker) ?? id).split("/");
  rememberReference(worker, provider, model.join("/"));
  return { ...first!.member, worker };
}

/** Of helpers the conversation that they help with, not how their own prompt begins. */
function affinityOf({ brief, messages }: WorkerRequest): string {
  return toAffinity(brief?.task.messages ?? messages);
}

/**
 * What stays the same of a conversation while it grows, and is another in other conversations: the user's words before the
 * model's first turn. Not the instructions, which all conversations of an agent begin with, nor marks for caches, which move.
 * Empty where the user has said nothing.
 */
export function toAffinity(messages: readonly unknown[]): string {
  const said: string[] = [];
  for (const message of messages) {
    const { role, type, content } = toFields(
      isObject(message) ? message : { role: "user", content: message },
    );
    if (role === "user") said.push(toText(content));
    else if (role === "assistant" || (role === undefined && type !== undefined)) break;
  }
  // What is the user's own stands at the end of what agents make of it.
  return said.join("\n").slice(-LONGEST_AFFINITY);
}

function toText(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => String(toFields(part).text ?? "")).join("\n");
}

/** Between 0 and 1, never either. */
function toShare(text: string): number {
  return (Number.parseInt(hash("sha256", text).slice(0, 12), 16) + 0.5) / 2 ** 48;
}
