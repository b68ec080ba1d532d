// The bytes of a config as they were read once, and the digest that trust is given to. What was hashed is what is
// parsed or run. For code the digest also covers the files that a text in it names by "./" or "../", and theirs:
// what it imports, and data that it reads.
// Not covered: packages, names that code puts together, and a file beside the config that is exchanged in the
// milliseconds between the last look and its import. Trust in code is trust in whoever wrote it.

import { hash } from "node:crypto";
import { closeSync, existsSync, fstatSync, openSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { usageError } from "../../base/errors.ts";

/** A config is a page. A larger one, or a pipe or a device behind a link, is a mistake or an attack. */
const MOST_BYTES = 1_000_000;
/** Whoever needs more beside a config has written a program: it can be named with --config. */
const MOST_FILES = 200;

const CODE = [".ts", ".js", ".mjs", ".mts", ".cjs", ".cts"];
const ENDINGS = ["", ...CODE, ".json", ...CODE.map((ending) => `/index${ending}`)];

export interface ConfigBytes {
  /** Where it was found: real folders, but the name as it stands there. Trust is given to this path. */
  path: string;
  /** The file itself, at the end of all links: what stands beside it is found from there. */
  file: string;
  text: string;
  isCode: boolean;
}

/** What trust is given to, whether or not the file is there. */
export function toTrustPath(file: string): string {
  const folder = dirname(resolve(file));
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(file));
}

export function readConfigBytes(file: string): ConfigBytes {
  const path = toTrustPath(file);
  const real = realpathSync(path);
  return { path, file: real, text: readBounded(real).toString("utf8"), isCode: CODE.includes(extname(file)) };
}

export interface Digest {
  sha256: string;
  /** How many files beside the config it covers. */
  files: number;
}

export function toDigest({ file, text, isCode }: ConfigBytes): Digest {
  const contents = new Map<string, Buffer>([[file, Buffer.from(text)]]);
  // The list grows while it is walked: what a file names is looked at, too.
  const codeFiles = isCode ? [file] : [];
  for (const each of codeFiles)
    for (const beside of findBeside(each, contents.get(each)!.toString("utf8"))) {
      if (contents.has(beside)) continue;
      if (contents.size > MOST_FILES)
        throw usageError(
          `${basename(file)} names more than ${MOST_FILES} files beside it: too many to be trusted one by one. Name it with --config ${basename(file)}`,
        );
      contents.set(beside, readBounded(beside));
      if (CODE.includes(extname(beside))) codeFiles.push(beside);
    }
  const folder = dirname(file);
  const lines = [...contents].map(
    ([path, bytes]) => `${hash("sha256", bytes, "hex")} ${relative(folder, path)}\n`,
  );
  return { sha256: hash("sha256", lines.join(""), "hex"), files: contents.size - 1 };
}

/** More than imports: any text that is the name of a file. */
function findBeside(file: string, source: string): string[] {
  const names = [...source.matchAll(/["'`](\.\.?\/[^"'`\n]+)["'`]/g)].map(([, name]) => name!);
  return names.flatMap((name) => {
    const stem = resolve(dirname(file), name);
    // TypeScript lets "./models.js" stand for models.ts.
    const written = [stem, stem.replace(/\.([cm]?)js$/, ".$1ts")];
    const found = written
      .flatMap((path) => ENDINGS.map((ending) => path + ending))
      .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
    return found === undefined ? [] : [realpathSync(found)];
  });
}

function readBounded(file: string): Buffer {
  // A pipe would let us wait for ever, even in opening it.
  if (!statSync(file).isFile()) throw usageError(`${file} is not a file`);
  const handle = openSync(file, "r");
  try {
    const { size } = fstatSync(handle);
    if (size > MOST_BYTES)
      throw usageError(`${file} has ${size} bytes: a config, and what it imports, has at most ${MOST_BYTES}`);
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}
