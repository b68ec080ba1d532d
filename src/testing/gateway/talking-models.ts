// A server with models of every temper, for tests of what people meet: good, slow, failing, thinking and chatty. Asked for
// a plan, each writes one in its own way.

import { type ChatReply, type ChatRequest, startChatServer } from "./chat-server.ts";

const TWO_STEPS = 'model_id = [0, 1]\nsubtasks = ["Draft it.", "Finish it."]\naccess_list = [[], ["all"]]';

const PLANS: Record<string, string> = {
  good: TWO_STEPS,
  thinking: `<think>SECRET: whom shall I ask?</think>\n${TWO_STEPS}`,
  chatty: `Sure! I would be happy to help. Here is a **great** plan:\n\n\`\`\`python\n${TWO_STEPS}\n\`\`\`\nAnything else?`,
};

export const TEMPERS: Record<string, (request: ChatRequest) => ChatReply> = {
  good: ({ messages }) => `**Good** reply to message ${messages.length}.`,
  /** Writes for minutes: whoever wants to stop it has the time. */
  slow: () => ({ text: "slowly ".repeat(600), chunks: 600, delayMs: 100 }),
  failing: () => ({ status: 500, body: { error: { message: "out of order" } } }),
  thinking: () => ({ text: "<think>SECRET thoughts</think>\nThought through.", chunks: 40 }),
  /** Its server opens the thinking in the prompt: only the end of it arrives. */
  unopened: () => ({ text: "Okay, SECRET thoughts\n</think>\nThought through.", chunks: 40 }),
  chatty: () => "Sure! I would be happy to help.\n\n```js\nconst a = 1;\n```\nAnything else?",
};

export function startTalkingModels() {
  return startChatServer({
    models: Object.keys(TEMPERS),
    reply: (request) => {
      const isPlan = JSON.stringify(request.messages).includes("You conduct a team of models");
      const plan = isPlan ? PLANS[request.model] : undefined;
      return plan ?? TEMPERS[request.model]!(request);
    },
  });
}
