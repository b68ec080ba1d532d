// The stream of one reply. What is true of every dialect is kept here, so that an encoder only writes: it is begun
// once and ended once, progress comes before the answer and never inside it, and at the end all of the answer has
// been written. What a client has read cannot be taken back: should the outcome differ, the stream stays true to itself.

import type { Dialect, ReplyHead, StreamEncoder } from "../types.ts";

export function openStream(dialect: Pick<Dialect, "createStream">, head: ReplyHead): StreamEncoder {
  const encoder = dialect.createStream(head);
  const lines: string[] = [];
  let state: "new" | "open" | "over" = "new";
  let sent = "";

  function progress(line: string): string {
    if (state !== "open" || sent !== "" || line === "") return "";
    lines.push(line);
    return encoder.progress(line);
  }

  function text(delta: string): string {
    if (state !== "open" || delta === "") return "";
    sent += delta;
    return encoder.text(delta);
  }

  return {
    begin() {
      if (state !== "new") return "";
      state = "open";
      return encoder.begin();
    },
    progress,
    text,
    end(outcome) {
      if (state !== "open") return "";
      const missed = outcome.progress.slice(lines.length).map(progress).join("");
      const rest = outcome.text.startsWith(sent) ? text(outcome.text.slice(sent.length)) : "";
      state = "over";
      return missed + rest + encoder.end({ ...outcome, head, text: sent, progress: lines });
    },
    fail(error) {
      if (state !== "open") return "";
      state = "over";
      return encoder.fail(error);
    },
    keepAlive: () => (state === "open" ? encoder.keepAlive() : ""),
  };
}
