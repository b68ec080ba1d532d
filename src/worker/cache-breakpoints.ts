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
  if (marks > 0) return withMarkedResults(options, MOST_MARKS - marks);
  const ends = findEnds(prompt);
  // Where this request ends, where the one before it ended, and where the instructions end.
  const marked = new Set([...ends.slice(-2), prompt.findLastIndex(({ role }) => role === "system")]);
  const messages = prompt.map((message, at) => {
    if (!marked.has(at)) return message;
    const isLast = at === ends.at(-1);
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
 * Where the requests of this conversation have ended: behind all that was said to the model between two of its turns. A turn
 * with many calls is answered by many results, and the provider looks back no further than twenty blocks.
 */
function findEnds(prompt: readonly LanguageModelV3Message[]): number[] {
  const isAsking = ({ role }: LanguageModelV3Message) => role === "user" || role === "tool";
  return [...prompt.keys()].filter((at) => {
    const next = prompt[at + 1];
    return isAsking(prompt[at]!) && (!next || next.role === "assistant");
  });
}

/**
 * The marks that agents set on the newest results of tools are lost where a run goes on with those results. Without them
 * nothing behind their other marks would ever be read from the cache again. `room`: so many more may be set.
 */
function withMarkedResults(options: LanguageModelV3CallOptions, room: number): LanguageModelV3CallOptions {
  const { prompt } = options;
  const hasReturned = prompt.slice(prompt.findLastIndex(({ role }) => role === "assistant")).some(isResult);
  if (!hasReturned) return options;
  const unmarked = findEnds(prompt)
    .slice(-2)
    .filter((at) => !hasMark(prompt[at]!));
  // The newest first, if there is room for one alone.
  const marked = new Set(unmarked.reverse().slice(0, Math.max(0, room)));
  if (marked.size === 0) return options;
  return { ...options, prompt: prompt.map((message, at) => (marked.has(at) ? mark(message) : message)) };
}

function isResult({ role }: LanguageModelV3Message): boolean {
  return role === "tool";
}

function hasMark(message: LanguageModelV3Message): boolean {
  if (isMarked(message)) return true;
  return typeof message.content !== "string" && message.content.some(isMarked);
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
