import { describe, expect, it } from "vitest";
import { isPlainQuestion } from "./plain-question.ts";

const ask = (content: string) => ({ messages: [{ role: "user" as const, content }] });

describe("a question plainly for one model", () => {
  it.each([
    "hi",
    "Thanks!",
    "Guten Morgen",
    "What is 2+2?",
    "12 * 7",
    "What is the capital of France?",
    "Who wrote Middlemarch?",
  ])("%s", (text) => expect(isPlainQuestion(ask(text))).toBe(true));

  it.each([
    "What is 17 * 23 - 4 * (9 + 6)?",
    "Why is the sky blue?",
    "What is the 100th prime?",
    "Which of these is the bug?",
    "What is the best way to sort a list?",
    "Prove that n^5 - n is divisible by 30",
    "Hi, write me a compiler for Pascal in Rust with a test suite",
    "What happens if I divide by zero?",
  ])("is not: %s", (text) => expect(isPlainQuestion(ask(text))).toBe(false));

  it("is none that is part of a conversation, or comes with tools or an image", () => {
    const { messages } = ask("What is the capital of France?");
    const tools = [{ name: "search", inputSchema: {} }];
    expect(isPlainQuestion({ messages, output: { tools } })).toBe(false);
    expect(isPlainQuestion({ messages: [...messages, ...messages] })).toBe(false);
    const content = [{ type: "image" as const, image: "data:image/png;base64,AA==" }];
    expect(isPlainQuestion({ messages: [{ role: "user", content }] })).toBe(false);
  });
});
