// The question as the command is given it: words, standard input, files and web pages, made into one message.

import { usageError } from "../../base/errors.ts";
import type { Message, Part } from "../../worker/types.ts";
import { readAttachment } from "./attachments.ts";
import { createRoom, readBytes, readFileBytes, take, toText } from "./bounded-read.ts";

export interface InputSources {
  words: readonly string[];
  /** Paths, and addresses that begin with http. */
  files: readonly string[];
  /** Piped text; absent on a terminal and where standard input has another use. */
  stdin?: AsyncIterable<Uint8Array | string>;
}

export async function readInput({ words, files, stdin }: InputSources): Promise<Message> {
  const room = createRoom();
  const question = words.join(" ").trim();
  take(room, question, "text");
  const texts = [question];
  const parts: Part[] = [];
  if (stdin) texts.push(toText(await readBytes(stdin, room, "text"), "standard input").trim());
  for (const source of files) {
    const attachment = await readAttachment(source, room);
    if ("text" in attachment) texts.push(attachment.text);
    else parts.push(attachment.part);
  }
  const text = texts.filter(Boolean).join("\n\n");
  if (text === "") throw usageError('there is no question. For example: tutti ask "What is 17 * 23?"');
  return { role: "user", content: parts.length > 0 ? [{ type: "text", text }, ...parts] : text };
}

/** A text file (a workflow) on its own, with the same limits and errors. */
export async function readTextFile(path: string): Promise<string> {
  return toText(await readFileBytes(path, createRoom(), "text"), `"${path}"`);
}
