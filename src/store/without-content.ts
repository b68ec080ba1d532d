// An event without what was said: who was asked, when, what it took and how it ended stay, so the state of the
// run still folds from its events and its bill is still explained. For requests whose content must not be
// kept, and for the relay, which never keeps any.
// What stays besides metrics: roles and count of messages, tags of the client (they are on the bill), names of
// workers and settings.

import type { Message } from "../worker/types.ts";
import type { Decision, Workflow } from "../workflow/types.ts";
import type { EventError, Origin, RunEvent } from "./types.ts";

/** Stands where a text says, by being there, that something happened. */
const REMOVED = "[removed]";

/** Nothing, where the event is nothing but content. */
export function withoutContent(event: RunEvent): RunEvent | undefined {
  switch (event.type) {
    case "run-start": {
      const { task, origin, ...rest } = event;
      const { id } = task;
      const messages = task.messages.map(toEmpty);
      return {
        ...rest,
        task: { id, messages },
        origin: origin && toTags(origin),
        isStripped: true,
      };
    }
    case "run-resume": {
      const {
        toolResults,
        said: _,
        output: __,
        messages: ___,
        exchanges: ____,
        reply: _____,
        ...rest
      } = event;
      if (!toolResults) return rest;
      return { ...rest, toolResults: toolResults.map(({ toolCallId }) => ({ toolCallId, content: "" })) };
    }
    case "plan-delta":
    case "step-delta":
      return undefined;
    case "plan-end": {
      // A belief quotes answers.
      const { fallback, belief: _, carries, ...rest } = event;
      const decision = withoutWords(event.decision);
      const carried = carries && { carries: { ...carries, advice: REMOVED } };
      return { ...rest, ...carried, text: "", decision, fallback: fallback && REMOVED };
    }
    case "plan-review":
      return { ...event, workflow: event.workflow && withoutSubtasks(event.workflow) };
    case "step-start": {
      const { instead, advice: _, ...rest } = event;
      return { ...rest, instead: instead && { worker: instead.worker, reason: REMOVED } };
    }
    case "step-end": {
      const { problem, reply, ...rest } = event;
      const { finishReason } = reply;
      return {
        ...rest,
        reply: { text: "", finishReason },
        problem: problem === undefined ? undefined : REMOVED,
      };
    }
    case "plan-error":
      return { ...event, error: withoutMessage(event.error) };
    case "step-error": {
      const { partial: _, ...rest } = event;
      return { ...rest, error: withoutMessage(event.error) };
    }
    case "run-end": {
      const { error } = event;
      return { ...event, answer: "", error: error && withoutMessage(error) };
    }
    case "run-feedback": {
      const { comment: _, about, ...rest } = event;
      return about ? { ...rest, about: { workers: about.workers } } : rest;
    }
    case "plan-start":
    case "step-wait":
    case "round-end":
      return event;
  }
}

function toEmpty({ role }: Message): Message {
  if (role === "tool") return { role, toolCallId: "", toolName: "", content: "" };
  return { role, content: "" };
}

/** Without the echo, which repeats parts of the request, and without its hash, by which a text could be guessed. */
function toTags({ echo: _, requestHash: __, ...tags }: Origin): Origin {
  return tags;
}

function withoutWords(decision: Decision): Decision {
  switch (decision.type) {
    case "workflow":
      return { type: "workflow", workflow: withoutSubtasks(decision.workflow) };
    case "format-error":
      return { type: "format-error", error: { code: decision.error.code, message: "" } };
    case "accept":
      return decision;
  }
}

function withoutSubtasks({ steps }: Workflow): Workflow {
  return { steps: steps.map(({ worker, access }) => ({ worker, subtask: "", access })) };
}

function withoutMessage(error: EventError): EventError {
  return { ...error, message: "" };
}
