// Where Anthropic's models are to keep a prompt in their cache. They cache only up to marks in the request; other providers
// find the longest known beginning by themselves. A client's own marks are left as they are. Pure.

import type { LanguageModelV3CallOptions, LanguageModelV3Message } from "@ai-sdk/provider";

/** Anthropic's name for its cache of five minutes, renewed at each use. */
const EPHEMERAL = { type: "ephemeral" } as const;
/** More are refused. */
const MOST_MARKS = 4;
type WithOptions = { providerOptions?: LanguageModelV3CallOptions["providerOptions"] };

/** Marks for a conversation that is likely to be sent again, longer: it has tools, or a turn of the model already. */
export function withCacheBreakpoints(options: LanguageModelV3CallOptions): LanguageModelV3CallOptions {
  const { prompt, tools = [] } = options;
  const isLoop = tools.length > 0 || prompt.some(({ role }) => role === "assistant");
  if (!isLoop) return options;
  const marks = countMarks(options);
  if (marks > 0) return marks < MOST_MARKS ? withMarkedResults(options) : options;
  const isAsking = ({ role }: LanguageModelV3Message) => role === "user" || role === "tool";
  const asking = [...prompt.keys()].filter((at) => isAsking(prompt[at]!));
  // Where this request ends, where the one before it ended, and where the instructions end.
  const marked = new Set([...asking.slice(-2), prompt.findLastIndex(({ role }) => role === "system")]);
  const messages = prompt.map((message, at) => {
    if (!marked.has(at)) return message;
    const isLast = at === asking.at(-1);
    return isLast && message.role === "user" ? markEnds(message) : mark(message);
  });
  const hasSystem = prompt.some(({ role }) => role === "system");
  const lastTool = tools.at(-1);
  // Tools come before the instructions, so a mark after those covers them.
  const marksTools = !hasSystem && lastTool?.type === "function";
  return {
    ...options,
    prompt: messages,
    tools: marksTools ? [...tools.slice(0, -1), mark(lastTool)] : options.tools,
  };
}

/**
 * The mark that agents set on the newest result of a tool is lost where a run goes on with that result. Without it nothing
 * behind their other marks would ever be read from the cache again.
 */
function withMarkedResults(options: LanguageModelV3CallOptions): LanguageModelV3CallOptions {
  const at = options.prompt.findLastIndex(({ role }) => role !== "system");
  const last = options.prompt[at];
  if (last?.role !== "tool" || isMarked(last) || last.content.some(isMarked)) return options;
  return { ...options, prompt: options.prompt.with(at, mark(last)) };
}

/** What the team adds stands in the last part, and is gone by the next turn: the part before it is what comes again. */
function markEnds(message: Extract<LanguageModelV3Message, { role: "user" }>): typeof message {
  const { content } = message;
  if (content.length < 2) return mark(message);
  return { ...message, content: [...content.slice(0, -2), mark(content.at(-2)!), mark(content.at(-1)!)] };
}

function mark<T extends WithOptions>(marked: T): T {
  const { providerOptions } = marked;
  const anthropic = { ...providerOptions?.anthropic, cacheControl: EPHEMERAL };
  return { ...marked, providerOptions: { ...providerOptions, anthropic } };
}

function isMarked({ providerOptions }: WithOptions): boolean {
  return providerOptions?.anthropic?.cacheControl !== undefined;
}

function countMarks({ prompt, tools = [] }: LanguageModelV3CallOptions): number {
  const parts = prompt.flatMap((message): WithOptions[] =>
    typeof message.content === "string" ? [message] : [message, ...message.content],
  );
  return [...parts, ...tools.filter((tool) => tool.type === "function")].filter(isMarked).length;
}
