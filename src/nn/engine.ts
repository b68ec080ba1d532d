// The engine that training runs on: onnxruntime's native code, which nobody needs to plan. It is not installed with the
// package; who trains without it is told the command that brings it, for the way this package was installed.

import { existsSync } from "node:fs";
import { basename, dirname, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { TuttiError } from "../base/errors.ts";
import type { Engine } from "./types.ts";

/** As in package.json, where it is an optional peer. Its install script would only fetch CUDA files, which nothing here uses. */
const ENGINE = "onnxruntime-node@1.30.0";
const INSTALL = `${ENGINE} --ignore-scripts`;

export async function openEngine({ threads = 2 }: { threads?: number } = {}): Promise<Engine> {
  try {
    const { openNodeEngine } = await import("./engine-node.ts");
    return await openNodeEngine(threads);
  } catch (cause) {
    const platform = `${process.platform} ${process.arch}`;
    const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    const message = `Training the native Conductor needs onnxruntime-node, which cannot be used here (${platform}): ${reason}. Install it with: ${toInstallCommand()}`;
    throw new TuttiError("no-engine", message, { cause });
  }
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "");

/** The command after which an import from the package at `root` finds the engine. */
export function toInstallCommand(root = ROOT, exists: (path: string) => boolean = existsSync): string {
  const modules = dirname(root);
  // A clone has it among its own.
  if (basename(modules) !== "node_modules") return `npm install --prefix ${quote(root)}`;
  const project = dirname(modules);
  if (project.split(sep).includes("_npx"))
    return `npm install tutti ${INSTALL} (in a folder of its own, then npx tutti train there)`;
  if (!exists(`${project}${sep}package.json`)) return `npm install --global ${INSTALL}`;
  const isHere = project === process.cwd();
  return isHere ? `npm install ${INSTALL}` : `npm install --prefix ${quote(project)} ${INSTALL}`;
}

function quote(path: string): string {
  return /^[\w./:\\-]+$/.test(path) ? path : JSON.stringify(path);
}
