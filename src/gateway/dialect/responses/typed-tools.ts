// Tools that OpenAI has defined and the client runs: shells and patches. Models of other providers know no such types, so each
// goes to every worker as a function of the same shape, and calls and results have their own items again for the client.

import type { ToolCall } from "../../../worker/types.ts";
import { LONGEST_CALL_ID } from "../../access/request-limits.ts";
import { type Fields, isFields, type ObjectReader } from "../../http/object-reader.ts";

export interface TypedTool {
  /** Of the item with a call; that of its result ends with "_output". */
  callType: "local_shell_call" | "shell_call" | "apply_patch_call";
  idPrefix: string;
  /** The field of the item that has what shall be done. */
  field: "action" | "operation";
  description: string;
  properties: Fields;
  required: string[];
  /** Where a model has written something else than an object. */
  fromText(text: string): Fields;
}

const text = (description: string) => ({ type: "string", description });
const texts = (description: string) => ({ type: "array", items: { type: "string" }, description });
const milliseconds = { type: "integer", description: "The command is stopped after so many milliseconds." };

const TYPED_TOOLS: Record<string, TypedTool> = {
  local_shell: {
    callType: "local_shell_call",
    idPrefix: "lsh",
    field: "action",
    description: "Runs a command on the user's machine and returns what it writes.",
    properties: {
      command: texts("The program and its arguments, one by one."),
      env: { type: "object", additionalProperties: { type: "string" } },
      timeout_ms: milliseconds,
      user: text("Who runs it, where that is not the usual user."),
      working_directory: text("Where it runs."),
    },
    required: ["command"],
    fromText: (line) => ({ command: ["bash", "-lc", line] }),
  },
  shell: {
    callType: "shell_call",
    idPrefix: "sh",
    field: "action",
    description: "Runs commands in a shell and returns what each writes and how it ended.",
    properties: {
      commands: texts("Command lines. They may run at the same time."),
      timeout_ms: milliseconds,
      max_output_length: { type: "integer", description: "So many characters of the output are of use." },
    },
    required: ["commands"],
    fromText: (line) => ({ commands: [line] }),
  },
  apply_patch: {
    callType: "apply_patch_call",
    idPrefix: "apc",
    field: "operation",
    description: "Creates, changes or deletes one file.",
    properties: {
      type: { type: "string", enum: ["create_file", "update_file", "delete_file"] },
      path: text("Of the file, relative to the working directory."),
      diff: text(
        'What changes, in V4A: lines that begin with " ", "-" or "+", behind "@@" and where they stand. Of a new file every line begins with "+".',
      ),
    },
    required: ["type", "path"],
    fromText: (diff) => ({ type: "update_file", path: "", diff }),
  },
};

const BY_CALL = new Map<string, string>(
  Object.entries(TYPED_TOOLS).map(([name, { callType }]) => [callType, name]),
);

/** Undefined for tools of other types, and for a shell of the provider's own. */
export function typedToolOf({ type, environment }: Fields): TypedTool | undefined {
  if (typeof type !== "string" || !Object.hasOwn(TYPED_TOOLS, type)) return undefined;
  const isTheirs = isFields(environment) && environment.type !== undefined && environment.type !== "local";
  return isTheirs ? undefined : TYPED_TOOLS[type];
}

/** As every model knows tools. A function that the client has named alike comes first. */
export function toFunction(tool: Fields, taken: ReadonlySet<unknown>): Fields {
  const typed = taken.has(tool.type) ? undefined : typedToolOf(tool);
  if (!typed) return tool;
  const { description, properties, required } = typed;
  return {
    type: "function",
    name: tool.type,
    description,
    parameters: { type: "object", properties, required },
  };
}

/** The item of a call, as the client's own tool wants it. */
export function toTypedItem(
  { callType, idPrefix, field, fromText }: TypedTool,
  call: ToolCall,
  tail: string,
) {
  const given = parseObject(call.input) ?? fromText(call.input);
  const done = callType === "local_shell_call" ? { type: "exec", env: {}, ...given } : given;
  return {
    id: `${idPrefix}_${tail}`,
    type: callType,
    status: "completed",
    call_id: call.id,
    [field]: done,
  };
}

/** A call of an earlier turn, from its item. Undefined for items of other types. */
export function readTypedCall(item: ObjectReader, type: string): ToolCall | undefined {
  const name = BY_CALL.get(type);
  if (name === undefined) return undefined;
  const { [TYPED_TOOLS[name]!.field]: done } = item.fields;
  const { type: kind, ...rest } = isFields(done) ? done : {};
  // An empty environment is what stands where the model named none.
  if (isFields(rest.env) && Object.keys(rest.env).length === 0) delete rest.env;
  const input = kind === "exec" ? rest : (done ?? {});
  return { id: item.name("call_id", LONGEST_CALL_ID), name, input: JSON.stringify(input) };
}

/** What came back for one: a text, or each command's output with how it ended. */
export function readTypedResult(
  item: ObjectReader,
  type: string,
): { toolCallId: string; content: string } | undefined {
  if (!type.endsWith("_output") || !BY_CALL.has(type.slice(0, -"_output".length))) return undefined;
  const idField = item.value("call_id") === undefined ? "id" : "call_id";
  const { output, status } = item.fields;
  const said = typeof output === "string" ? output : output === undefined ? "" : JSON.stringify(output);
  const content = status === "failed" ? `error: ${said}` : said;
  return { toolCallId: item.name(idField, LONGEST_CALL_ID), content };
}

function parseObject(json: string): Fields | undefined {
  try {
    const parsed: unknown = JSON.parse(json);
    return isFields(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
