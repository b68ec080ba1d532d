// A body of the Responses API → a GatewayRequest. What a team cannot honour and would change the question is
// refused (a conversation or a prompt that OpenAI keeps); what it does not know is ignored, because clients send
// much. Whatever the Response object repeats goes to `echo`, as the client wrote it.

import type { Message, OutputSettings, Task, ToolChoice, ToolDefinition } from "../../../worker/types.ts";
import { LONGEST_NAME, MOST_TOOLS } from "../../access/request-limits.ts";
import { type Fields, isFields, ObjectReader } from "../../http/object-reader.ts";
import type { GatewayRequest, HeaderReader } from "../../types.ts";
import {
  dropAbsent,
  EFFORTS,
  readOpenAICommon,
  readTag,
  toAskedTask,
  toOutput,
  VERBOSITIES,
} from "../common.ts";
import { toIgnored } from "../ignored.ts";
import {
  ignoredTools,
  readFormat,
  readMode,
  readSampling,
  readToolName,
  readTools,
  readUsualTier,
} from "../openai-tools.ts";
import { readInput } from "./input.ts";
import { flattenTools, toModelToolName } from "./namespaces.ts";
import { typedToolOf } from "./typed-tools.ts";

/** Fields that are followed, answered, or that only tell us something. */
const HONOURED: ReadonlySet<string> = new Set([
  ...["model", "input", "instructions", "stream", "stream_options", "store", "background", "metadata"],
  ...["user", "safety_identifier", "prompt_cache_key", "previous_response_id"],
  ...[
    "max_output_tokens",
    "temperature",
    "top_p",
    "top_k",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "text",
  ],
  ...["tools", "tool_choice", "parallel_tool_calls", "reasoning", "service_tier", "include", "truncation"],
  ...["tutti", "conversation", "prompt", "client_metadata"],
]);

export function parseResponsesRequest(fields: Fields, header: HeaderReader): GatewayRequest {
  const tools = Array.isArray(fields.tools) ? flattenTools(fields.tools) : fields.tools;
  const body = new ObjectReader({ ...fields, tools });
  const common = readOpenAICommon(body, header);
  refuseUnsupported(body);
  const { isStored, metadata } = common;
  const isBackground = body.flag("background") ?? false;
  if (isBackground && !isStored)
    throw body.bad("background", 'needs "store": what is not kept cannot be fetched later.');
  const reasoning = body.optionalObject("reasoning");
  const previousReplyId = body.optionalName("previous_response_id") || undefined;
  const instructions = body.optionalText("instructions") || undefined;
  const output = readOutput(body);
  const left = new Set<string>();
  return {
    ...common,
    task: readTask(body, left, { instructions, output, previousReplyId }),
    effort: reasoning?.choice("effort", EFFORTS),
    isBackground,
    previousReplyId,
    echo: dropAbsent({
      instructions,
      metadata,
      previous_response_id: previousReplyId,
      store: isStored,
      background: isBackground,
      max_output_tokens: output?.maxOutputTokens,
      temperature: output?.temperature,
      // Not ours to judge, but a client's types rely on them.
      top_p: ofType("number", fields.top_p),
      parallel_tool_calls: ofType("boolean", fields.parallel_tool_calls),
      truncation: ofType("string", fields.truncation),
      tools: fields.tools,
      ignored: toIgnored(fields, HONOURED, [...ignoredTools(body), ...ignoredWishes(body), ...left]),
      tool_choice: fields.tool_choice,
      reasoning:
        reasoning && dropAbsent({ effort: reasoning.fields.effort, summary: reasoning.fields.summary }),
      text: body.optionalObject("text")?.fields,
      user: readTag(body, "user"),
    }),
  };
}

function ofType(type: "number" | "boolean" | "string", value: unknown): unknown {
  return typeof value === type && String(value).length <= LONGEST_NAME ? value : undefined;
}

/** The messages without the instructions: those are for one request, and not carried over to the next. */
export function withoutInstructions(messages: Message[], echo: Record<string, unknown>): Message[] {
  const [first] = messages;
  const isInstructions = first?.role === "system" && first.content === echo.instructions;
  return isInstructions ? messages.slice(1) : messages;
}

function refuseUnsupported(body: ObjectReader): void {
  if (body.value("conversation") !== undefined)
    throw body.bad("conversation", 'is not kept here: use "previous_response_id" to go on from a response.');
  if (body.value("prompt") !== undefined)
    throw body.bad("prompt", 'names a text that only OpenAI has: send it as "instructions" and "input".');
}

/** Of fields that are followed in part. Encrypted reasoning is kept here, and goes back from the journal. */
function ignoredWishes(body: ObjectReader): string[] {
  const wanted = body.list("include").filter((name) => name !== "reasoning.encrypted_content");
  const truncates = body.value("truncation") === "auto";
  return [...(truncates ? ["truncation"] : []), ...wanted.map((name) => `include: ${String(name)}`)];
}

interface TaskFields {
  instructions: string | undefined;
  output: OutputSettings | undefined;
  previousReplyId: string | undefined;
}

function readTask(
  body: ObjectReader,
  left: Set<string>,
  { instructions, output, previousReplyId }: TaskFields,
): Task {
  const input = readInput(body, left);
  const messages: Message[] = instructions ? [{ role: "system", content: instructions }, ...input] : input;
  // The question may be in what came before: of an earlier response, or of the run that asked for a tool.
  const goesOn = previousReplyId !== undefined || input.some(({ role }) => role === "tool");
  const task = { messages, output };
  return goesOn && !input.some(({ role }) => role === "user") ? task : toAskedTask(task, "input");
}

function readOutput(body: ObjectReader): OutputSettings | undefined {
  return toOutput({
    maxOutputTokens: body.number("max_output_tokens", { min: 1, isWhole: true }),
    ...readSampling(body),
    effort: body.optionalObject("reasoning")?.choice("effort", EFFORTS),
    verbosity: body.optionalObject("text")?.choice("verbosity", VERBOSITIES),
    serviceTier: readUsualTier(body),
    responseFormat: readFormat(body.optionalObject("text")?.optionalObject("format")),
    ...readToolSettings(body),
  });
}

type ToolSettings = { tools?: ToolDefinition[]; toolChoice?: ToolChoice };

function readToolSettings(body: ObjectReader): ToolSettings {
  const tools = readTools(body, (tool) => tool);
  const chosen = readToolChoice(body, tools);
  if (chosen.tools?.length) return chosen;
  // Whoever sent only tools that were left out is not to blame.
  if (body.value("tool_choice") === "required" && body.list("tools").length === 0)
    throw body.bad("tool_choice", 'is "required", but there is no tool.');
  return {};
}

function readToolChoice(body: ObjectReader, tools: ToolDefinition[]): ToolSettings {
  const value = body.value("tool_choice");
  if (value === undefined) return { tools };
  if (typeof value === "string") return { tools, toolChoice: readMode(body, "tool_choice") };
  const choice = body.object("tool_choice");
  const type = choice.text("type");
  if (type === "function" || type === "custom") {
    const named = new ObjectReader({ ...choice.fields, name: toModelToolName(choice.fields) }, choice.path);
    return { tools, toolChoice: { name: readToolName(named, tools) } };
  }
  if (typedToolOf({ type }))
    return { tools, toolChoice: { name: readToolName(new ObjectReader({ name: type }), tools) } };
  // Any other type names a tool of another provider, so the choice is free.
  if (type !== "allowed_tools") return { tools };
  const named = choice
    .list("tools", MOST_TOOLS)
    .map((item) => (isFields(item) ? toModelToolName(item) : undefined));
  const names = new Set(named);
  const offered = tools.filter(({ name }) => names.has(name));
  return { tools: offered, toolChoice: readMode(choice, "mode") };
}
