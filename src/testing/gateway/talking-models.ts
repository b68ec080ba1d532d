// A server with models of every temper, for tests of what people meet: good, slow, failing, thinking and chatty.

import { type ChatReply, type ChatRequest, startChatServer } from "./chat-server.ts";

export const TEMPERS: Record<string, (request: ChatRequest) => ChatReply> = {
  good: ({ messages }) => `**Good** reply to message ${messages.length}.`,
  /** Writes for minutes: whoever wants to stop it has the time. */
  slow: () => ({ text: "slowly ".repeat(600), chunks: 600, delayMs: 100 }),
  failing: () => ({ status: 500, body: { error: { message: "out of order" } } }),
  thinking: () => ({ text: "<think>SECRET thoughts</think>\nThought through.", chunks: 40 }),
  chatty: () => "Sure! I would be happy to help.\n\n```js\nconst a = 1;\n```\nAnything else?",
};

export function startTalkingModels() {
  return startChatServer({
    models: Object.keys(TEMPERS),
    reply: (request) => TEMPERS[request.model]!(request),
  });
}
