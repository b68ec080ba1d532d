// From a request to its run: a new one, one that goes on after tools of the client, or one that is the same
// request already. What is the same: the same idempotency key, or, while it is running, the same body from the
// same key. Nothing is paid for twice that way, however often an SDK repeats itself.

import { TuttiError } from "../../base/errors.ts";
import { shorten } from "../../base/format.ts";
import { createGrowingList } from "../../base/growing-fold.ts";
import type { Run } from "../../perform/run.ts";
import { fold } from "../../perform/state.ts";
import type { RunEvent } from "../../store/types.ts";
import { toTask } from "../../tutti/check-input.ts";
import { createRunId } from "../../tutti/run-setup.ts";
import type { RunStream, Tutti } from "../../tutti/tutti.ts";
import { attachmentsOf } from "../../worker/brief.ts";
import type { ImagePart, Message } from "../../worker/types.ts";
import type { Admission } from "../access/admission.ts";
import { sizeOf, sizeOfAll } from "../access/held-bytes.ts";
import { MOST_IMAGE_BYTES } from "../access/request-limits.ts";
import type { EnterTurn } from "../service/shared-turns.ts";
import { findChanges } from "./client-changes.ts";
import {
  type DispatchRequest,
  goesOn,
  type LiveReply,
  patienceOf,
  toHead,
  toOrigin,
  toReply,
  toTurnOptions,
} from "./dispatch-request.ts";
import type { EarlierRuns } from "./earlier-runs.ts";
import { LiveRun, type LiveRuns, replay } from "./live-runs.ts";
import { toStage } from "./models.ts";
import { findRepeatedRun, withOriginals } from "./originals.ts";
import { failureOf } from "./outcome.ts";
import {
  findToolTail,
  parseReplyId,
  type ToolTail,
  type Turn,
  toConversation,
  toToolResults,
  toTurns,
  wasGiven,
} from "./turns.ts";

/** Of several gateways on one Postgres. */
export interface OtherGateways {
  /** Of all that begin a request of this name one begins at a time; what is returned ends its turn. */
  enterTurn: EnterTurn;
  /** A run that another one performs. */
  follow(runId: string): Promise<LiveRun>;
}

export class RunDispatcher {
  readonly #tutti: Tutti;
  readonly #others: OtherGateways | undefined;
  readonly #live: LiveRuns;
  readonly #earlier: EarlierRuns;
  readonly #onEnd: (run: Run, before?: Run) => Promise<void>;
  /** Background runs of an earlier process that wait until they are let in. */
  readonly queued = new Set<string>();
  /** Background runs of a process that died that cannot go on here: their key is not good any more, say. */
  readonly refused = new Set<string>();
  readonly #same = new Map<string, { hash: string; reply: Promise<LiveReply> }>();

  /** `onEnd` is done before the place that a run took is free again. */
  constructor(
    tutti: Tutti,
    live: LiveRuns,
    earlier: EarlierRuns,
    onEnd: (run: Run, before?: Run) => Promise<void>,
    others?: OtherGateways,
  ) {
    this.#tutti = tutti;
    this.#others = others;
    this.#live = live;
    this.#earlier = earlier;
    this.#onEnd = onEnd;
  }

  async begin(asked: DispatchRequest): Promise<LiveReply> {
    const { idempotencyKey, hash, key } = asked;
    const name = JSON.stringify([key?.id, idempotencyKey ?? { hash }]);
    const known = this.#same.get(name);
    if (known && (idempotencyKey !== undefined || !asked.isSampled)) {
      if (known.hash !== hash) throw otherRequest(idempotencyKey!);
      const reply = await known.reply;
      const isGoing = !reply.live.isOver && !reply.live.isStopped;
      if (isGoing || idempotencyKey !== undefined) return { ...reply, isJoined: true };
    }
    const reply = this.#startInTurn(asked, idempotencyKey === undefined ? undefined : name);
    this.#same.set(name, { hash, reply });
    const forget = () => {
      if (this.#same.get(name)?.reply === reply) this.#same.delete(name);
    };
    reply.then(({ live }) => live.result.then(forget, forget), forget);
    return reply;
  }

  /** With an idempotency key, which another gateway may have been given at this very moment. */
  async #startInTurn(asked: DispatchRequest, name: string | undefined): Promise<LiveReply> {
    const leave = name === undefined ? undefined : await this.#others?.enterTurn(name);
    try {
      return await this.#start(asked);
    } finally {
      void leave?.();
    }
  }

  async #start(asked: DispatchRequest): Promise<LiveReply> {
    const repeated = asked.idempotencyKey === undefined ? undefined : await this.#findRepeated(asked);
    if (repeated) return repeated;
    const messages = await this.#withEarlier(asked);
    checkImages(messages);
    const tail = findToolTail(messages);
    const goneOn = tail && (await this.#goOn(asked, tail, messages));
    if (goneOn) return goneOn;
    if (!messages.some(({ role }) => role === "user")) throw lostRun();
    return this.#startNew(asked, await this.#withOriginals(asked, toTask(messages).messages));
  }

  /** Whoever cannot read the journal now is sent the conversation as the client tells it. */
  async #withOriginals({ key }: DispatchRequest, messages: Message[]): Promise<Message[]> {
    const id = findRepeatedRun(messages);
    const events = id === undefined ? [] : await this.#earlier.load(key, id).catch(() => []);
    const state = fold(events);
    if (!state || state.origin?.keyId !== key?.id || state.isStripped) return messages;
    return withOriginals(messages, state);
  }

  async #startNew(asked: DispatchRequest, messages: Message[]): Promise<LiveReply> {
    const { request, destination, preferences, embeds } = asked;
    const { seed, task, isStream: streamsAnswer } = request;
    const isTeam = destination.kind === "team";
    const runId = createRunId();
    const admission = await asked.admit({
      runId,
      usd: destination.budgetUsd ?? undefined,
      // Steps that are performed at once each have all of it on its way.
      bytes: sizeOfAll(messages) + sizeOf(task.output),
      copies: preferences.workflow?.steps?.length,
      isNew: true,
    });
    const begin = (signal: AbortSignal) =>
      this.#tutti.stream(
        { messages, output: task.output },
        {
          runId,
          ...toStage(destination),
          quality: isTeam ? destination.quality : undefined,
          rounds: isTeam ? destination.rounds : 1,
          budgetUsd: admission.budgetUsd ?? null,
          deadlineMs: preferences.deadlineMs,
          maxCalls: preferences.maxCalls,
          workflow: isTeam ? preferences.workflow : undefined,
          seed,
          streamsAnswer,
          isFinal: true,
          embeds,
          patienceMs: patienceOf(request),
          origin: toOrigin(asked),
          signal,
        },
      );
    return toReply(asked, this.#launch(begin, admission, goesOn(asked)), admission, 0);
  }

  /** What is done with every run, new or gone on with: it is seen live, and settled when it is over. */
  #launch(
    begin: (signal: AbortSignal) => RunStream,
    admission: Admission,
    goesOn: boolean,
    before?: Run,
  ): LiveRun {
    const controller = new AbortController();
    const stream = beginOr(admission, () => begin(controller.signal));
    const live = this.#live.add(new LiveRun(stream, { goesOn, stop: (reason) => controller.abort(reason) }));
    live.result
      .then((run) => this.#onEnd(run, before))
      .finally(() => admission.release(this.#tutti.backlog.written(live.runId)))
      .catch(() => {});
    return live;
  }

  /** Goes on with a run whose process died, within what is left of its limits. Throws where it is not let in. */
  async resume(
    events: readonly RunEvent[],
    { destination, admit, goesOn }: Pick<DispatchRequest, "destination" | "admit"> & { goesOn: boolean },
  ): Promise<{ live: LiveRun; admission: Admission; before?: Run }> {
    const { runId, settings, spent, spentBefore } = fold(events)!;
    const { usd } = settings.limits;
    const left = usd === undefined ? undefined : Math.max(0, usd - (spent.usd - spentBefore.usd));
    const admission = await admit({ runId, usd: left, bytes: sizeOfAll(events) });
    const { pool } = toStage(destination);
    const begin = (signal: AbortSignal) =>
      this.#tutti.resume(runId, { signal, pool, budgetUsd: admission.budgetUsd ?? null });
    const before = toTurns(events).at(-2)?.run;
    return { live: this.#launch(begin, admission, goesOn, before), admission, before };
  }

  /** The run of the same idempotency key, over or cut off by a restart. */
  async #findRepeated(asked: DispatchRequest): Promise<LiveReply | undefined> {
    const { key, idempotencyKey, hash } = asked;
    const store = await this.#tutti.store();
    const [found] = await store.listRuns({ idempotencyKey: idempotencyKey!, keyId: key?.id, limit: 1 });
    if (!found) return undefined;
    const events = await this.#earlier.load(key, found.id);
    const turns = toTurns(events);
    const { run, startedAt } = turns.at(-1)!;
    if (found.isStripped) throw notKept(idempotencyKey!);
    if (run.origin?.requestHash !== hash) throw otherRequest(idempotencyKey!);
    const live = this.#live.find(found.id);
    const head = toHead(asked, found.id, turns.length - 1, startedAt);
    const joined = { head, turn: turns.length - 1, before: turns.at(-2)?.run, isJoined: true };
    if (live) return { ...joined, live };
    if (found.state !== "ended" && this.#others)
      return { ...joined, live: await this.#others.follow(found.id) };
    if (found.state === "interrupted") {
      const resumed = await this.resume(events, { ...asked, goesOn: goesOn(asked) });
      return toReply(asked, resumed.live, resumed.admission, turns.length - 1, resumed.before);
    }
    return { live: replay(run), head, turn: turns.length - 1, isJoined: true };
  }

  /** The conversation, with what a reply before it left behind. */
  async #withEarlier({ dialect, request, key }: DispatchRequest): Promise<Message[]> {
    const { previousReplyId: id, task } = request;
    if (id === undefined) return task.messages;
    const found = parseReplyId(dialect, id);
    const events = found ? await this.#earlier.load(key, found.runId) : [];
    const run = events.length > 0 ? toTurns(events)[found!.turn]?.run : undefined;
    if (!run || run.origin?.keyId !== key?.id || run.isStripped)
      throw new TuttiError(
        "not-found",
        `There is no response "${shorten(id)}" to go on from: it was not stored, or was deleted.`,
        { param: "previous_response_id" },
      );
    const [first, ...rest] = task.messages;
    const earlier = toConversation(run, dialect);
    return first?.role === "system" ? [first, ...earlier, ...rest] : [...earlier, ...task.messages];
  }

  /** Goes on with the run that waits for these results. Undefined where there is none: then it is a new one. */
  async #goOn(
    asked: DispatchRequest,
    tail: ToolTail,
    messages: readonly Message[],
  ): Promise<LiveReply | undefined> {
    const { request, key, destination } = asked;
    const events = await this.#earlier.load(key, tail.runId);
    if (events.length === 0) return undefined;
    const turns = toTurns(events);
    const { run, startedAt } = turns.at(-1)!;
    if (run.origin?.keyId !== key?.id || run.origin?.model !== request.model) return undefined;
    const turn = turns.length - 1;
    const live = this.#live.find(run.id);
    if (!live && turn === tail.turn + 1 && wasGiven(run, tail) && (await failureOf(run)))
      return this.#askAgain(asked, messages, events, turns);
    if (turn > tail.turn && wasGiven(run, tail)) {
      // Only the reply right after these results is the answer to this very request.
      if (turn !== tail.turn + 1) return undefined;
      const head = toHead(asked, run.id, turn, startedAt);
      const before = turns.at(-2)!.run;
      if (live) return { live, head, turn, before, isJoined: true };
      if (run.stopReason === undefined) {
        if (!this.#others) return undefined;
        return { live: await this.#others.follow(run.id), head, turn, before, isJoined: true };
      }
      return { live: replay(run), head, turn, before, isJoined: true };
    }
    const toolResults = turn === tail.turn && !live ? toToolResults(run, tail) : undefined;
    // The client's truth wins: what it has edited, pruned or redacted since is not sent from the journal.
    const changed = toolResults && findChanges(messages, run);
    if (!toolResults || !changed) return undefined;
    const admission = await asked.admit({
      runId: run.id,
      usd: destination.budgetUsd ?? undefined,
      bytes: sizeOfAll(messages) + sizeOfAll(events),
    });
    const begin = (signal: AbortSignal) =>
      this.#tutti.resume(run.id, {
        toolResults,
        said: tail.said,
        ...changed,
        ...toTurnOptions(asked, admission),
        signal,
      });
    return toReply(asked, this.#launch(begin, admission, goesOn(asked), run), admission, turn + 1, run);
  }

  /** A turn that has failed, asked for once more: what a client that tries again wants is no copy of the failure. */
  async #askAgain(
    asked: DispatchRequest,
    messages: readonly Message[],
    events: readonly RunEvent[],
    turns: readonly Turn[],
  ): Promise<LiveReply | undefined> {
    const [before, run] = turns.slice(-2).map((turn) => turn.run) as [Run, Run];
    const changed = findChanges(messages, run);
    if (!changed) return undefined;
    const usd = asked.destination.budgetUsd ?? undefined;
    const admission = await asked.admit({
      runId: run.id,
      usd,
      bytes: sizeOfAll(messages) + sizeOfAll(events),
    });
    const begin = (signal: AbortSignal) =>
      this.#tutti.resume(run.id, { again: true, ...changed, ...toTurnOptions(asked, admission), signal });
    const live = this.#launch(begin, admission, goesOn(asked), before);
    return toReply(asked, live, admission, turns.length - 1, before);
  }
}

/** A run that cannot even begin gives its place back. */
function beginOr(admission: Admission, begin: () => RunStream): RunStream {
  try {
    return begin();
  } catch (error) {
    admission.release();
    throw error;
  }
}

function otherRequest(key: string): TuttiError {
  return new TuttiError("conflict", `The idempotency key "${shorten(key)}" was used with another request.`);
}

function notKept(key: string): TuttiError {
  const message = "was performed, and its reply was not kept, as it asked.";
  return new TuttiError("conflict", `The request with the idempotency key "${shorten(key)}" ${message}`);
}

const toImages = createGrowingList((message: Message) =>
  attachmentsOf(message).filter((part): part is ImagePart => part.type === "image"),
);

/** One model that is passed through to takes what its provider takes. */
function checkImages(messages: readonly Message[]): void {
  let bytes = 0;
  for (const image of toImages(messages)) bytes += image.image.length;
  if (bytes > MOST_IMAGE_BYTES)
    throw new TuttiError(
      "too-large",
      `The images of this conversation have ${(bytes / 1e6).toFixed(1)} MB; a team takes ${MOST_IMAGE_BYTES / 1e6} MB. Send smaller ones, or their addresses.`,
    );
}

function lostRun(): TuttiError {
  return new TuttiError(
    "bad-request",
    "These results of tools belong to no run that waits for them here. Send the whole conversation.",
  );
}
