// From a run back to the request that would ask for it again: for "ask again", for an edited workflow, for one
// worker instead of the team, and for curl. Pure.

import type { Run } from "../../../src/perform/run.ts";
import type { Message, OutputSettings } from "../../../src/worker/types.ts";
import type { Workflow } from "../../../src/workflow/types.ts";
import type { ChatBody, ChatBodyMessage } from "../ask/chat-stream.ts";
import { isTeam } from "../shell/models.ts";

type AskedRun = Pick<Run, "task" | "settings" | "origin" | "pool">;

export function toChatBody({ task, settings, origin }: AskedRun): ChatBody {
  const model = origin?.model ?? "tutti";
  return {
    model,
    messages: task.messages.map(toChatMessage),
    ...toChatOutput(task.output),
    tutti: isTeam(model) ? { rounds: settings.rounds, budget_usd: settings.limits.usd } : undefined,
  };
}

/** Numbers of workers in a workflow are positions in the run's own pool, so it goes with it. */
export function toWorkflowBody(run: AskedRun, workflow: Workflow): ChatBody {
  const body = toChatBody(run);
  const model = isTeam(body.model) ? body.model : "tutti";
  return {
    ...body,
    model,
    tutti: { ...body.tutti, rounds: 1, pool: run.pool.map(({ id }) => id), workflow },
  };
}

export function toSingleBody(run: AskedRun, worker: string): ChatBody {
  const { tutti: _, ...body } = toChatBody(run);
  return { ...body, model: worker };
}

/** `$TUTTI_API_KEY` is left to the shell: no key is ever part of what is copied. */
export function toCurl(body: ChatBody, url: string, hasKey: boolean): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", `'\\''`);
  const key = hasKey ? ` \\\n  -H "authorization: Bearer $TUTTI_API_KEY"` : "";
  return `curl '${url.replaceAll("'", "%27")}' \\\n  -H 'content-type: application/json'${key} \\\n  -d '${json}'`;
}

function toChatMessage(message: Message): ChatBodyMessage {
  if (message.role === "tool")
    return {
      role: "tool",
      tool_call_id: message.toolCallId,
      content: message.content,
    } as unknown as ChatBodyMessage;
  if (message.role === "assistant" && message.toolCalls)
    return {
      role: "assistant",
      content: message.content,
      tool_calls: message.toolCalls.map(({ id, name, input }) => ({
        id,
        type: "function",
        function: { name, arguments: input },
      })),
    } as ChatBodyMessage;
  if (typeof message.content === "string") return { role: message.role, content: message.content };
  const content = message.content.map((part) =>
    part.type === "text"
      ? part
      : part.type === "file"
        ? { type: "file", file: { filename: part.name, file_data: part.file } }
        : { type: "image_url", image_url: { url: part.image } },
  );
  return { role: message.role, content };
}

function toChatOutput(output: OutputSettings = {}) {
  const { maxOutputTokens, stop, temperature, tools, toolChoice, responseFormat: format } = output;
  return {
    max_completion_tokens: maxOutputTokens,
    stop,
    temperature,
    tools: tools?.map(({ name, description, inputSchema }) => ({
      type: "function",
      function: { name, description, parameters: inputSchema },
    })),
    tool_choice:
      typeof toolChoice === "object" ? { type: "function", function: { name: toolChoice.name } } : toolChoice,
    response_format:
      format &&
      (format.schema
        ? { type: "json_schema", json_schema: { name: format.name ?? "answer", schema: format.schema } }
        : { type: "json_object" }),
  };
}
