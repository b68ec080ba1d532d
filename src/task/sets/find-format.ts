// Which format a file has, and what to say when the file is not there.

import { usageError } from "../../base/errors.ts";
import type { SourceRow } from "../../files/read-jsonl.ts";
import { type Download, FORMATS, type TaskFormat } from "./formats.ts";

const HUB = "https://huggingface.co/datasets";

export function findFormat(id: string): TaskFormat {
  const found = FORMATS.find((format) => plain(format.id) === plain(id));
  if (found) return found;
  throw usageError(`No task format "${id}" (there are: ${FORMATS.map((format) => format.id).join(", ")})`);
}

/** Undefined where no format has these columns. */
export function recogniseFormat(row: SourceRow): TaskFormat | undefined {
  return FORMATS.find(
    (format) => missingColumns(format, row).length === 0 && format.looksLike?.(row) !== false,
  );
}

export function missingColumns({ columns }: TaskFormat, row: SourceRow): string[] {
  return columns.filter((column) => !Object.hasOwn(row, column));
}

/** The published set that a name or path speaks of: "data/math-500.jsonl" is MATH-500. */
export function formatOfName(path: string): TaskFormat | undefined {
  const name = plain(path.split("/").at(-1)!.replace(/\..*$/, ""));
  const published = FORMATS.filter(({ download }) => download);
  // The longest name that fits: "mmlu-pro" is not "mmlu".
  const inside = published
    .filter(({ id }) => name.includes(plain(id)))
    .sort((a, b) => b.id.length - a.id.length)[0];
  return inside ?? (name.length >= 4 ? published.find(({ id }) => plain(id).startsWith(name)) : undefined);
}

export function missingFile(path: string, format: TaskFormat | undefined): Error {
  const { download, title } = format ?? {};
  if (download) {
    return usageError(`There is no ${path}. ${title} is fetched with:\n  ${toFetchCommand(download, path)}`);
  }
  const known = FORMATS.filter((each) => each.download).map(({ id }) => id);
  return usageError(
    `There is no ${path}. Give a file or folder of tasks (jsonl, csv, parquet), or the name of a published set to see how it is fetched: ${known.join(", ")}`,
  );
}

/** To the place where it was looked for, with the ending of the published file. */
function toFetchCommand({ file, dataset, path, parts, isGated }: Download, wanted: string): string {
  const ending = /\.[^/]+$/.exec(file)?.[0] ?? "";
  const isPath = /[./]/.test(wanted);
  const target = isPath ? wanted.replace(/(?<=[^/])\.[^/]*$|\/$/, "") + ending : file;
  const url = `${HUB}/${dataset}/resolve/main/${path}`;
  if (parts) {
    const folder = `${target}/$t.parquet`;
    return `for t in ${parts.join(" ")}; do curl -L --create-dirs -o "${folder}" "${url.replace("*", "$t")}"; done`;
  }
  const token = isGated ? '-H "Authorization: Bearer $HF_TOKEN" ' : "";
  const note = isGated ? `\nafter accepting its terms at ${HUB}/${dataset} and setting HF_TOKEN.` : "";
  return `curl -L --create-dirs ${token}-o ${quoted(target)} ${url}${note}`;
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** "MATH-500", "math_500" and "math500" are the same name. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
