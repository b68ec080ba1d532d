// Finds and reads the config file. It is read once, and what is parsed or run is what trust was asked for.
// TypeScript and YAML readers are loaded only when there is such a file.

import { existsSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { visitor, visitorFn } from "yaml";
import { isDeep } from "../base/deep.ts";
import { isTuttiError, messageOf, usageError } from "../base/errors.ts";
import type { Environment } from "./home.ts";
import { type ConfigSource, parseConfig } from "./problems.ts";
import type { TuttiConfig } from "./schema.ts";
import { type ConfigBytes, readConfigBytes, toDigest } from "./trust/digest.ts";
import { findReasons, type TrustReason } from "./trust/reasons.ts";

type MapVisitor = NonNullable<Exclude<visitor, visitorFn<unknown>>["Map"]>;

const DATA = ["yaml", "yml", "json"];
const EXTENSIONS = ["ts", "js", "mjs", ...DATA];

/** A config that lay in a folder. Nobody has named it, so whoever wrote it may be a stranger. */
export interface FoundConfig {
  /** What trust is given to: this content at this path. */
  path: string;
  sha256: string;
  /** Empty where no trust is needed. */
  reasons: TrustReason[];
}

export interface LoadOptions {
  cwd: string;
  /** Of --config: who names a file trusts it. */
  file?: string;
  /** A folder names the file, such as that of a training, and no person: then it must be trusted, too. */
  isSaved?: boolean;
  env: Environment;
  /** Throws where a config that needs trust does not have it. Nothing of it has taken effect before. */
  approve(found: FoundConfig): Promise<void>;
}

export interface LoadedConfig {
  config: TuttiConfig;
  /** Absent where there is none and everything is at its default. */
  file?: string;
}

export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const file = options.file === undefined ? findConfigFile(options.cwd) : resolve(options.cwd, options.file);
  if (file === undefined) return { config: parseConfig({}) };
  if (!existsSync(file)) throw usageError(`There is no config file ${options.file}`);
  if (!EXTENSIONS.includes(extname(file).slice(1)))
    throw usageError(`The config file ${options.file} must end with one of ${EXTENSIONS.join(", ")}`);
  const bytes = readConfigBytes(file);
  const isFound = options.file === undefined || options.isSaved === true;
  if (bytes.isCode) {
    if (isFound) await approveCode(bytes, options);
    return { config: parseConfig(await runFile(bytes), { name: basename(file) }), file };
  }
  const config = await parseData(bytes);
  if (isFound) await options.approve(toFound(bytes, config, options.env));
  return { config, file };
}

/** What is found in a folder, without running any of it. `config` is absent for code. */
export async function inspectConfig(
  file: string,
  env: Environment,
): Promise<{ found: FoundConfig; config?: TuttiConfig }> {
  const bytes = readConfigBytes(file);
  const config = bytes.isCode ? undefined : await parseData(bytes);
  return { found: toFound(bytes, config, env), config };
}

export function findConfigFile(cwd: string): string | undefined {
  const found = EXTENSIONS.map((extension) => `tutti.config.${extension}`).filter((name) =>
    existsSync(join(cwd, name)),
  );
  if (found.length > 1)
    throw usageError(`There are ${found.join(" and ")}. Keep one, or name it with --config FILE`);
  return found[0] && join(cwd, found[0]);
}

function toFound(bytes: ConfigBytes, config: TuttiConfig | undefined, env: Environment): FoundConfig {
  const { sha256, files } = toDigest(bytes);
  const reasons: TrustReason[] = config ? findReasons(config, env) : [{ kind: "code", files }];
  return { path: bytes.path, sha256, reasons };
}

/** A person may take long to answer: what stands beside the config must still be what it was. */
async function approveCode(bytes: ConfigBytes, { env, approve }: LoadOptions): Promise<void> {
  const found = toFound(bytes, undefined, env);
  await approve(found);
  if (toDigest(bytes).sha256 !== found.sha256)
    throw usageError(`A file beside ${basename(bytes.path)} was changed in the meantime. Try again`);
}

async function runFile({ path, file, text }: ConfigBytes): Promise<unknown> {
  const name = basename(path);
  const url = pathToFileURL(file).href;
  try {
    const { createJiti } = await import("jiti");
    const jiti = createJiti(url, { fsCache: false, moduleCache: false });
    // The text that was read, never the file again: it may have changed since.
    const how = { filename: file, ext: extname(path), async: true, forceTranspile: true };
    const loaded = await jiti.evalModule(text, how);
    return checkDefault(name, loaded);
  } catch (error) {
    if (isTuttiError(error)) throw error;
    throw usageError(`${name} cannot be run: ${messageOf(error)}`, error);
  }
}

/** Of CommonJS, which marks nothing, what is exported is the config itself. */
function checkDefault(name: string, loaded: unknown): unknown {
  const module = loaded as { default?: unknown };
  if ("default" in module || !Object.hasOwn(module, "__esModule")) return module.default;
  throw usageError(`${name} must have a default export: export default { workers: [ … ] }`);
}

/** JSON is read by the YAML reader too, which knows the line of every field; it must be real JSON first. */
async function parseData({ path, text }: ConfigBytes): Promise<TuttiConfig> {
  const name = basename(path);
  checkSize(name, text);
  const { LineCounter, parseDocument, visit } = await import("yaml");
  const lines = new LineCounter();
  // Names that are there twice are looked for below: the reader would compare each with every other.
  const document = bounded(name, () =>
    parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false, logLevel: "error" }),
  );
  if (path.endsWith(".json")) checkJson(name, text);
  const wrong = document.errors[0];
  if (wrong) {
    const line = lines.linePos(wrong.pos[0]).line;
    const isDeep = wrong.message.includes("call stack");
    throw usageError(`${name}:${line}: ${isDeep ? "nested too deep" : wrong.message.split("\n")[0]}`);
  }
  const checkNames: MapVisitor = (_, { items }) => {
    const seen = new Set<unknown>();
    for (const { key } of items) {
      const { value, range } = key as { value?: unknown; range?: [number, number, number] };
      if (seen.has(value) && range)
        throw usageError(`${name}:${lines.linePos(range[0]).line}: "${String(value)}" is there twice`);
      seen.add(value);
    }
  };
  bounded(name, () => visit(document, { Map: checkNames }));
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
  const data = bounded(name, () => document.toJS()) ?? {};
  // What contains itself has no end, and cannot be written.
  bounded(name, () => JSON.stringify(data));
  if (isDeep(data)) throw usageError(`${name}: nested too deep`);
  return parseConfig(data, { name, lineOf });
}

/** People write a few kilobytes. */
const MOST_CONFIG_BYTES = 256_000;

function checkSize(name: string, text: string): void {
  if (Buffer.byteLength(text) <= MOST_CONFIG_BYTES) return;
  throw usageError(`${name}: must be a file of at most ${MOST_CONFIG_BYTES / 1000} KB`);
}

/** What the reader of YAML throws for a bomb: aliases of aliases, or lists in lists until the stack ends. */
function bounded<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw usageError(`${name}: ${toReason(error)}`, error);
  }
}

function toReason(error: unknown): string {
  if (error instanceof RangeError) return "is nested too deep";
  if (error instanceof TypeError) return "contains itself, through an alias";
  return "has more aliases than are followed (100)";
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
