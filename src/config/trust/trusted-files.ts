// The configs that somebody has said yes to: `trusted.json` in TUTTI_HOME, by path and content. Only the user may
// have written it: a home that the config's own folder holds is not believed, nor one that others can write.
// Not covered: two processes that add at the same moment; the yes of one of them may have to be given again.

import { readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { z } from "zod";
import { usageError } from "../../base/errors.ts";
import { makePrivateFolder } from "../../files/private.ts";
import { writeFileSafely } from "../../files/write-safely.ts";
import { type Environment, toTuttiHome } from "../home.ts";

const VERSION = 1;
/** The oldest are forgotten: who has so many configs is asked again. */
const MOST_FILES = 1_000;

const trustedSchema = z.strictObject({
  path: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** In milliseconds since 1970. */
  trustedAt: z.number(),
});
const fileSchema = z.strictObject({ version: z.literal(VERSION), files: z.array(trustedSchema) });
export type TrustedFile = z.infer<typeof trustedSchema>;

/** Why a yes to this config cannot be kept; undefined where it can. */
export function findTrustProblem(path: string, env: Environment): string | undefined {
  const home = toTuttiHome(env);
  if (!isAbsolute(home)) return `TUTTI_HOME is "${home}", and only an absolute path is the same everywhere`;
  // The usual place is the user's own, even where a config stands in the user's folder itself.
  const isUsual = home === join(homedir(), ".tutti");
  const way = relative(dirname(path), toReal(home));
  const isInside = way.split(sep)[0] !== ".." && !isAbsolute(way);
  return isInside && !isUsual ? `TUTTI_HOME (${home}) lies in the folder of the config` : undefined;
}

export function isTrusted({ path, sha256 }: Pick<TrustedFile, "path" | "sha256">, env: Environment): boolean {
  if (findTrustProblem(path, env) !== undefined) return false;
  return listTrusted(env).some((each) => each.path === path && each.sha256 === sha256);
}

/** The newest first. */
export function listTrusted(env: Environment): TrustedFile[] {
  const file = toTrustFile(env);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  const isOurs = process.getuid === undefined || stats.uid === process.getuid();
  if (process.platform !== "win32" && (!isOurs || (stats.mode & 0o022) !== 0))
    throw usageError(`${file} could be written by others, so it is not believed. Delete it and trust again`);
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, "utf8"))).files;
  } catch (error) {
    throw usageError(`${file} is damaged. Delete it and trust again`, error);
  }
}

export async function addTrusted(
  { path, sha256 }: Pick<TrustedFile, "path" | "sha256">,
  env: Environment,
): Promise<void> {
  const others = listTrusted(env).filter((each) => each.path !== path || each.sha256 !== sha256);
  await replace([{ path, sha256, trustedAt: Date.now() }, ...others].slice(0, MOST_FILES), env);
}

/** Whatever its content was. Returns how many entries there were. */
export async function removeTrusted(path: string, env: Environment): Promise<number> {
  const before = listTrusted(env);
  const after = before.filter((each) => each.path !== path);
  if (after.length < before.length) await replace(after, env);
  return before.length - after.length;
}

async function replace(files: TrustedFile[], env: Environment): Promise<void> {
  makePrivateFolder(toTuttiHome(env));
  const text = `${JSON.stringify({ version: VERSION, files }, null, 2)}\n`;
  await writeFileSafely(toTrustFile(env), Buffer.from(text));
}

function toTrustFile(env: Environment): string {
  return join(toTuttiHome(env), "trusted.json");
}

/** With all links followed, as far as it is there. */
function toReal(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    const above = dirname(folder);
    return above === folder ? folder : join(toReal(above), relative(above, folder));
  }
}
