import type { Message } from "../../../src/worker/types.ts";

/** The messages word for word: as text, because that is what was sent. */
export function MessageList({ messages }: { messages: readonly Message[] }) {
  return (
    <ol className="messages stack plain-list">
      {messages.map((message, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are a fixed list
        <li key={i}>
          <span className="message-role">{message.role}</span>
          <pre className="block wrap">{toText(message)}</pre>
        </li>
      ))}
    </ol>
  );
}

export function toText(message: Message): string {
  const { content } = message;
  const text =
    typeof content === "string"
      ? content
      : content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  return [text, ...calls.map(({ name, input }) => `${name}(${input})`)].filter(Boolean).join("\n");
}
