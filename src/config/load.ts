// Finds and reads the config file. TypeScript and YAML readers are loaded only when there is such a file.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isTuttiError, messageOf, usageError } from "../base/errors.ts";
import { type ConfigSource, parseConfig } from "./problems.ts";
import type { TuttiConfig } from "./schema.ts";

const EXTENSIONS = ["ts", "js", "mjs", "yaml", "yml", "json"];

export interface LoadedConfig {
  config: TuttiConfig;
  /** Absent where there is none and everything is at its default. */
  file?: string;
}

export async function loadConfig(options: { cwd: string; file?: string }): Promise<LoadedConfig> {
  const file = options.file === undefined ? findFile(options.cwd) : resolve(options.cwd, options.file);
  if (file === undefined) return { config: parseConfig({}) };
  if (!existsSync(file)) throw usageError(`There is no config file ${options.file}`);
  switch (extname(file)) {
    case ".ts":
    case ".js":
    case ".mjs":
      return { config: parseConfig(await runFile(file), { name: basename(file) }), file };
    case ".yaml":
    case ".yml":
    case ".json": {
      const { data, source } = await readData(file);
      return { config: parseConfig(data, source), file };
    }
    default:
      throw usageError(`The config file ${options.file} must end with one of ${EXTENSIONS.join(", ")}`);
  }
}

function findFile(cwd: string): string | undefined {
  const found = EXTENSIONS.map((extension) => `tutti.config.${extension}`).filter((name) =>
    existsSync(join(cwd, name)),
  );
  if (found.length > 1)
    throw usageError(`There are ${found.join(" and ")}. Keep one, or name it with --config FILE`);
  return found[0] && join(cwd, found[0]);
}

async function runFile(file: string): Promise<unknown> {
  const name = basename(file);
  const url = pathToFileURL(file).href;
  try {
    if (!file.endsWith(".ts")) return await checkDefault(name, await import(url));
    const { createJiti } = await import("jiti");
    return await checkDefault(
      name,
      await createJiti(url, { fsCache: false, moduleCache: false }).import(url),
    );
  } catch (error) {
    if (isTuttiError(error)) throw error;
    throw usageError(`${name} cannot be run: ${messageOf(error)}`, error);
  }
}

function checkDefault(name: string, loaded: unknown): unknown {
  const config = (loaded as { default?: unknown }).default;
  if (config === undefined)
    throw usageError(`${name} must have a default export: export default { workers: [ … ] }`);
  return config;
}

/** JSON is read by the YAML reader too, which knows the line of every field; it must be real JSON first. */
async function readData(file: string): Promise<{ data: unknown; source: ConfigSource }> {
  const name = basename(file);
  const text = await readFile(file, "utf8");
  const { LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (file.endsWith(".json")) checkJson(name, text);
  const wrong = document.errors[0];
  if (wrong) {
    const line = lines.linePos(wrong.pos[0]).line;
    throw usageError(`${name}:${line}: ${wrong.message.split("\n")[0]}`);
  }
  const lineOf: ConfigSource["lineOf"] = (path) => {
    // A missing field has no line; the group it belongs to has one.
    for (let length = path.length; length > 0; length--) {
      const holder = document.getIn(path.slice(0, length - 1), true);
      const node = keyNode(holder, path[length - 1]) ?? document.getIn(path.slice(0, length), true);
      const range = (node as { range?: [number, number, number] } | undefined)?.range;
      if (range) return lines.linePos(range[0]).line;
    }
    return undefined;
  };
  return { data: document.toJS() ?? {}, source: { name, lineOf } };
}

/** A value may begin on the line after its name; people look for the name. */
function keyNode(holder: unknown, key: PropertyKey | undefined): unknown {
  const { items } = (holder ?? {}) as { items?: { key?: { value?: unknown } }[] };
  return items?.find((item) => item.key?.value === key)?.key;
}

function checkJson(name: string, text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const message = (error as Error).message;
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
    const line = text.slice(0, position).split("\n").length;
    throw usageError(`${name}:${line}: this is not JSON: ${message.split("\n")[0]}`);
  }
}
