// Starts a run from a page that shows it elsewhere. The connection stays open until the run is over, because a
// run whose last reader has left is stopped.

import { type ChatBody, streamChat } from "../ask/chat-stream.ts";

/** Done when the run has an id; what happens then is in its events. */
export function startRun(body: ChatBody): Promise<string> {
  return new Promise((resolve, reject) => {
    streamChat(body, { runId: resolve }, new AbortController().signal).catch(reject);
  });
}
