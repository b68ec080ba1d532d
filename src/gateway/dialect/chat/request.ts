// A body of Chat Completions → a GatewayRequest. What a team cannot honour and would change the answer is
// refused (several choices, log probabilities); what it does not know is ignored, because clients send much.

import type { OutputSettings, ToolChoice, ToolDefinition } from "../../../worker/types.ts";
import { badRequest, type Fields, ObjectReader } from "../../http/object-reader.ts";
import type { GatewayRequest, HeaderReader } from "../../types.ts";
import { dropAbsent, EFFORTS, ONE_MODEL_ONLY, readOpenAICommon, toAskedTask, toOutput } from "../common.ts";
import { readFormat, readMode, readToolName, readTools } from "../openai-tools.ts";
import { readMessages } from "./messages.ts";

const MAX_STOPS = 4;

export function parseChatRequest(fields: Fields, header: HeaderReader): GatewayRequest {
  const body = new ObjectReader(fields);
  const common = readOpenAICommon(body, header);
  refuseUnsupported(body);
  const tools = readTools(body, (tool, type) => tool.object(type));
  const output = readOutput(body, tools);
  const includesUsage = body.optionalObject("stream_options")?.flag("include_usage");
  const customTools = body
    .objects("tools")
    .filter(({ fields: { type } }) => type === "custom")
    .map((tool) => tool.object("custom").text("name"));
  return {
    ...common,
    task: toAskedTask({ messages: readMessages(body), output }, "messages"),
    effort: body.choice("reasoning_effort", EFFORTS),
    echo: dropAbsent({
      include_usage: includesUsage || undefined,
      custom_tools: customTools.length > 0 ? customTools : undefined,
    }),
  };
}

function refuseUnsupported(body: ObjectReader): void {
  if ((body.value("n") ?? 1) !== 1)
    throw body.bad("n", "must be 1: a team gives one answer. Ask again for another one.");
  if (body.flag("logprobs")) throw body.bad("logprobs", ONE_MODEL_ONLY);
  if (body.list("modalities").includes("audio")) throw badRequest(`Audio ${ONE_MODEL_ONLY}`, "modalities");
  if (body.list("functions").length > 0)
    throw body.bad("functions", 'is the old form and not supported: use "tools".');
}

function readOutput(body: ObjectReader, tools: ToolDefinition[]): OutputSettings | undefined {
  const bounds = { min: 1, isWhole: true };
  const { tools: offered, toolChoice } = readToolChoice(body, tools);
  return toOutput({
    maxOutputTokens: body.number("max_completion_tokens", bounds) ?? body.number("max_tokens", bounds),
    stop: readStops(body),
    temperature: body.number("temperature", { min: 0, max: 2 }),
    tools: offered.length > 0 ? offered : undefined,
    toolChoice,
    responseFormat: readFormat(body.optionalObject("response_format"), "json_schema"),
  });
}

function readStops(body: ObjectReader): string[] | undefined {
  const stop = body.value("stop") ?? [];
  const list: unknown[] = Array.isArray(stop) ? stop : [stop];
  if (list.length > MAX_STOPS || !list.every((item) => typeof item === "string"))
    throw body.bad("stop", `must be a text or a list of at most ${MAX_STOPS} texts.`);
  const texts = list.filter((item) => item !== "");
  return texts.length > 0 ? texts : undefined;
}

/** The tools that are offered, and which of them must be called. */
function readToolChoice(
  body: ObjectReader,
  tools: ToolDefinition[],
): { tools: ToolDefinition[]; toolChoice?: ToolChoice } {
  const value = body.value("tool_choice");
  if (value === undefined) return { tools };
  if (typeof value === "string") return { tools, toolChoice: toMode(body, "tool_choice", tools) };
  const choice = body.object("tool_choice");
  const type = choice.text("type");
  if (type !== "allowed_tools") return { tools, toolChoice: { name: readChosen(choice, tools) } };
  const allowed = choice.object(type);
  const names = allowed.objects("tools").map((tool) => readChosen(tool, tools));
  const offered = tools.filter(({ name }) => names.includes(name));
  return { tools: offered, toolChoice: toMode(allowed, "mode", offered) };
}

function toMode(reader: ObjectReader, name: string, tools: ToolDefinition[]): ToolChoice | undefined {
  const mode = readMode(reader, name);
  if (tools.length > 0) return mode;
  if (mode === "required") throw reader.bad(name, 'is "required", but there is no tool.');
  return undefined;
}

/** `{ type: "function", function: { name } }`, or the same with "custom". */
function readChosen(choice: ObjectReader, tools: ToolDefinition[]): string {
  const type = choice.text("type");
  if (type !== "function" && type !== "custom") throw choice.wrong("type", '"function" or "custom"');
  return readToolName(choice.object(type), tools);
}
