// Which engine runs: the native one where it has a binary for this machine, else WebAssembly. Whoever opens
// one says which in its log (`engine.id`).

import { TuttiError } from "../base/errors.ts";
import type { Engine } from "./types.ts";

export interface EngineOptions {
  /** "auto" takes the native one where it is there. */
  kind?: "auto" | "node" | "web";
  threads?: number;
  /** Training needs the native engine: WebAssembly would take hours. */
  purpose?: "inference" | "training";
}

export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const { kind = "auto", threads = 2, purpose = "inference" } = options;
  if (kind !== "web") {
    try {
      const { openNodeEngine } = await import("./engine-node.ts");
      return await openNodeEngine(threads);
    } catch (error) {
      if (kind === "node" || purpose === "training") throw notThere("onnxruntime-node", error);
    }
  }
  try {
    const { openWebEngine } = await import("./engine-web.ts");
    return await openWebEngine();
  } catch (error) {
    throw notThere("onnxruntime-web", error);
  }
}

function notThere(name: string, cause: unknown): TuttiError {
  const platform = `${process.platform} ${process.arch}`;
  const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
  const message = `${name} cannot be used here (${platform}): ${reason}. Install it with: npm install ${name}`;
  return new TuttiError("no-engine", message, { cause });
}
