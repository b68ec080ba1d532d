// A body of the Responses API → a GatewayRequest. What a team cannot honour and would change the question is
// refused (a conversation or a prompt that OpenAI keeps); what it does not know is ignored, because clients send
// much. Whatever the Response object repeats goes to `echo`, as the client wrote it.

import type { Message, OutputSettings, Task } from "../../../worker/types.ts";
import type { GatewayRequest, HeaderReader } from "../../types.ts";
import {
  badRequest,
  EFFORTS,
  type Fields,
  readChoice,
  readFlag,
  readNumber,
  readObject,
  readOptionalObject,
  readOptionalText,
  readProgress,
  readSeed,
  readTag,
  readText,
  readTextMap,
  toAskedTask,
} from "../fields.ts";
import { readInput } from "./input.ts";
import { readTools } from "./tools.ts";

export function parseResponsesRequest(body: Fields, header: HeaderReader): GatewayRequest {
  const model = readText(body, "model");
  refuseUnsupported(body);
  const isStored = readFlag(body, "store") ?? true;
  const isBackground = readFlag(body, "background") ?? false;
  if (isBackground && !isStored) {
    throw badRequest('"background" needs "store": what is not kept cannot be fetched later.', "background");
  }
  const reasoning = readOptionalObject(body, "reasoning");
  const previousReplyId = readOptionalText(body, "previous_response_id") || undefined;
  const instructions = readOptionalText(body, "instructions") || undefined;
  const metadata = readTextMap(body, "metadata");
  const output = readOutput(body);
  return {
    model,
    task: readTask(body, { instructions, output, previousReplyId }),
    isStream: readFlag(body, "stream") ?? false,
    seed: readSeed(body),
    effort: reasoning && readChoice(reasoning, "effort", EFFORTS, "reasoning"),
    user: readTag(body, "user") ?? readTag(body, "safety_identifier"),
    metadata,
    isStored,
    isBackground,
    previousReplyId,
    showsProgress: readProgress(header, body),
    echo: dropAbsent({
      instructions,
      metadata,
      previous_response_id: previousReplyId,
      store: isStored,
      background: isBackground,
      max_output_tokens: output.maxTokens,
      temperature: output.temperature,
      // Not ours to judge, but a client's types rely on them.
      top_p: typeof body.top_p === "number" ? body.top_p : undefined,
      parallel_tool_calls:
        typeof body.parallel_tool_calls === "boolean" ? body.parallel_tool_calls : undefined,
      truncation: typeof body.truncation === "string" ? body.truncation : undefined,
      tools: body.tools,
      tool_choice: body.tool_choice,
      reasoning: reasoning && dropAbsent({ effort: reasoning.effort, summary: reasoning.summary }),
      text: readOptionalObject(body, "text"),
      user: readTag(body, "user"),
    }),
  };
}

/** The messages without the instructions: those are for one request, and not carried over to the next. */
export function withoutInstructions(messages: Message[], echo: Record<string, unknown>): Message[] {
  const [first] = messages;
  const isInstructions = first?.role === "system" && first.content === echo.instructions;
  return isInstructions ? messages.slice(1) : messages;
}

function refuseUnsupported(body: Fields): void {
  if ((body.conversation ?? undefined) !== undefined) {
    const message = '"conversation" is not kept here: use "previous_response_id" to go on from a response.';
    throw badRequest(message, "conversation");
  }
  if ((body.prompt ?? undefined) !== undefined) {
    const message = '"prompt" names a text that only OpenAI has: send it as "instructions" and "input".';
    throw badRequest(message, "prompt");
  }
}

interface TaskSettings {
  instructions?: string;
  output: OutputSettings;
  previousReplyId?: string;
}

function readTask(body: Fields, { instructions, output, previousReplyId }: TaskSettings): Task {
  const input = readInput(body);
  const messages: Message[] = instructions ? [{ role: "system", content: instructions }, ...input] : input;
  const task = { messages, ...(Object.keys(output).length > 0 && { output }) };
  // The question may be in what came before: of an earlier response, or of the run that asked for a tool.
  const goesOn = previousReplyId !== undefined || input.some(({ role }) => role === "tool");
  return goesOn && !input.some(({ role }) => role === "user") ? task : toAskedTask(task, "input");
}

function readOutput(body: Fields): OutputSettings {
  // Equal requests are to look equal, so nothing is set that was not asked for.
  return dropAbsent({
    maxTokens: readNumber(body, "max_output_tokens", { min: 1, isWhole: true }),
    temperature: readNumber(body, "temperature", { min: 0, max: 2 }),
    responseFormat: readFormat(readOptionalObject(body, "text") ?? {}),
    ...readTools(body),
  });
}

function readFormat(text: Fields): OutputSettings["responseFormat"] {
  const format = readOptionalObject(text, "format", "text");
  if (!format) return undefined;
  const path = "text.format";
  const types = ["text", "json_object", "json_schema"] as const;
  const type = readChoice({ type: readText(format, "type", path) }, "type", types, path);
  if (type === "text") return undefined;
  if (type === "json_object") return { type: "json" };
  const name = readOptionalText(format, "name", path);
  return { type: "json", schema: readObject(format, "schema", path), ...(name && { name }) };
}

function dropAbsent<T extends object>(fields: T): T {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as T;
}
