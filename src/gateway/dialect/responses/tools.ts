// The tools of a Responses request, and which of them the client wants called. Tools of types that only their
// own provider has (web_search, namespace, …) are left out, never refused: coding agents send them with every
// request.

import type { ToolChoice, ToolDefinition } from "../../../worker/types.ts";
import { CUSTOM_SCHEMA } from "../custom-tool.ts";
import {
  asFields,
  badRequest,
  type Fields,
  isFields,
  readOptionalList,
  readOptionalObject,
  readOptionalText,
  readText,
  toPath,
  wrong,
} from "../fields.ts";

/** A custom tool takes free text. Inside, every tool takes JSON, so the text is its one field. */

export function readTools(body: Fields): { tools?: ToolDefinition[]; toolChoice?: ToolChoice } {
  const tools = readDefinitions(body);
  const choice = body.tool_choice ?? undefined;
  const chosen =
    choice === undefined
      ? { tools }
      : typeof choice === "string"
        ? { tools, toolChoice: toMode(choice, "tool_choice") }
        : readChosen(asFields(choice, "tool_choice"), tools);
  if (chosen.tools.length > 0) return chosen;
  // Whoever sent only tools that were left out is not to blame.
  if (choice === "required" && !readOptionalList(body, "tools")?.length)
    throw badRequest('"tool_choice" is "required", but there is no tool.', "tool_choice");
  return {};
}

function readDefinitions(body: Fields): ToolDefinition[] {
  const tools: ToolDefinition[] = [];
  for (const [index, item] of (readOptionalList(body, "tools") ?? []).entries()) {
    const path = toPath("tools", index);
    const tool = asFields(item, path);
    const type = readText(tool, "type", path);
    if (type !== "function" && type !== "custom") continue;
    const name = readText(tool, "name", path);
    if (tools.some((other) => other.name === name))
      throw badRequest(`There are two tools with the name "${name}".`, toPath(path, "name"));
    const description = readDescription(tool, path);
    const parameters = readOptionalObject(tool, "parameters", path);
    const inputSchema =
      type === "custom" ? CUSTOM_SCHEMA : (parameters ?? { type: "object", properties: {} });
    tools.push({ name, ...(description !== "" && { description }), inputSchema });
  }
  return tools;
}

/** A grammar that the input must follow can only be asked for: most providers cannot enforce it. */
function readDescription(tool: Fields, path: string): string {
  const description = readOptionalText(tool, "description", path) ?? "";
  const { format } = tool;
  if (tool.type !== "custom" || !isFields(format) || typeof format.definition !== "string")
    return description;
  const rule = `The input must follow this grammar (${String(format.syntax ?? "text")}):\n${format.definition}`;
  return description === "" ? rule : `${description}\n\n${rule}`;
}

function readChosen(
  choice: Fields,
  tools: ToolDefinition[],
): { tools: ToolDefinition[]; toolChoice?: ToolChoice } {
  const type = readText(choice, "type", "tool_choice");
  if (type === "function" || type === "custom")
    return { tools, toolChoice: { name: readKnownName(choice, tools) } };
  // Any other type names a tool of another provider, so the choice is free.
  if (type !== "allowed_tools") return { tools };
  const listed = readOptionalList(choice, "tools", "tool_choice") ?? [];
  const names = listed.map((item) => (isFields(item) ? item.name : undefined));
  const mode = choice.mode ?? "auto";
  return {
    tools: tools.filter(({ name }) => names.includes(name)),
    toolChoice: toMode(mode, "tool_choice.mode"),
  };
}

function toMode(mode: unknown, param: string): ToolChoice {
  if (mode === "auto" || mode === "none" || mode === "required") return mode;
  throw wrong(mode, '"auto", "none", "required" or an object that names a tool', param);
}

function readKnownName(choice: Fields, tools: ToolDefinition[]): string {
  const name = readText(choice, "name", "tool_choice");
  if (tools.some((tool) => tool.name === name)) return name;
  const known = tools.map((tool) => tool.name).join(", ");
  throw badRequest(
    `There is no tool "${name}" (there ${known ? `are: ${known}` : "are none"}).`,
    "tool_choice.name",
  );
}
