// How many connections a server keeps. Beyond that, whoever has been silent for longest is cut off, so that connections
// which only wait, to be slow or to fill the table, never keep out one that asks for something.

import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Socket } from "node:net";

export function limitConnections(server: Server, most: number): void {
  /** Without a request that is being answered, the longest silent first. */
  const silent = new Set<Socket>();
  let open = 0;
  server.on("connection", (socket: Socket) => {
    open++;
    silent.add(socket);
    socket.once("close", () => {
      open--;
      silent.delete(socket);
    });
    // The newest itself, where all others are at work.
    if (open > most) silent.values().next().value?.destroy();
  });
  server.on("request", ({ socket }, response) => {
    silent.delete(socket);
    response.once("close", () => {
      if (!socket.destroyed) silent.add(socket);
    });
  });
}

/** Where the system does not say how many files a process may open. */
const USUAL = 2_000;

/** At most `most`, and at most a third of the files that this process may open. `limits`: as Linux tells them of a process. */
export function toConnectionLimit(most: number, limits = readLimits()): number {
  const files = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (files === "unlimited") return most;
  return Math.min(most, files === undefined ? USUAL : Math.floor(Number(files) / 3));
}

function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return ""; // not on Linux
  }
}
