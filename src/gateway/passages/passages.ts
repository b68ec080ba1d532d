// Everything that is passed through beside the dialects: adding one is adding a line.

import { chatRelay } from "../dialect/chat/relay.ts";
import type { Dialect } from "../types.ts";
import { createPassage } from "./passage.ts";

/** Requests that are JSON objects. */
export const PASSAGES: readonly Dialect[] = [
  createPassage({
    ...{ name: "embeddings", path: "/embeddings", billing: "input" },
    fields: ["input", "dimensions", "encoding_format", "input_type", "truncation", "task"],
  }),
  createPassage({ name: "rerank", path: "/rerank", billing: "unknown" }),
  createPassage({ name: "moderations", path: "/moderations", billing: "input", fields: ["input"] }),
  createPassage({ name: "images", path: "/images/generations", billing: "unknown" }),
  createPassage({ name: "speech", path: "/audio/speech", billing: "unknown" }),
  createPassage({
    ...{ name: "completions", path: "/completions", billing: "tokens", read: readCompletion },
    fields: [
      ...["prompt", "suffix", "max_tokens", "n", "temperature", "top_p", "presence_penalty", "stop", "seed"],
      ...["frequency_penalty", "logit_bias", "logprobs", "echo", "stream", "stream_options"],
    ],
  }),
];

/** Requests that are forms with a file in them. */
export const FORMS: readonly Dialect[] = [
  createPassage({ name: "transcriptions", path: "/audio/transcriptions", billing: "unknown" }),
  createPassage({ name: "translations", path: "/audio/translations", billing: "unknown" }),
  createPassage({ name: "images", path: "/images/edits", billing: "unknown" }),
  createPassage({ name: "images", path: "/images/variations", billing: "unknown" }),
];

/** A plain completion has its text beside the reason, where a chat has a message. */
function readCompletion(...[body, known]: Parameters<typeof chatRelay.read>) {
  const { choices } = body;
  const read = (choice: unknown) => {
    const { text, ...rest } = choice as { text?: unknown };
    return { ...rest, message: { content: text } };
  };
  const isList = Array.isArray(choices) && choices.every((choice) => typeof choice === "object" && choice);
  return chatRelay.read(isList ? { ...body, choices: choices.map(read) } : body, known);
}
