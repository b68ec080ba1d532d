// What all dialects read and write alike.

import { isTuttiError } from "../../base/errors.ts";
import { shorten } from "../../base/format.ts";
import { toTask } from "../../tutti/check-input.ts";
import type { ImagePart, OutputSettings, Part, SettingName, Task, ToolResult } from "../../worker/types.ts";
import { LONGEST_SCHEMA } from "../access/request-limits.ts";
import { badRequest, isFields, type ObjectReader } from "../http/object-reader.ts";
import type { Effort, HeaderReader, ReplyOutcome, TuttiFields } from "../types.ts";

// ---- Reading ------------------------------------------------------------------------------------

export const EFFORTS: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
export const VERBOSITIES = ["low", "medium", "high"] as const;
export const ONE_MODEL_ONLY = "is not supported by a team; ask one model (provider/model) for it.";

const MAX_TAGS = 16;
const MAX_NAME_CHARACTERS = 64;
const MAX_VALUE_CHARACTERS = 512;

/** What every dialect reads alike. `store` is OpenAI's, and ours in the dialects that have no such field. */
export function readCommon(body: ObjectReader, header: HeaderReader) {
  return {
    model: body.name("model"),
    isStream: body.flag("stream") ?? false,
    isStored: body.flag("store") ?? true,
    isBackground: false,
    showsProgress: readProgress(header, body),
  };
}

/** What OpenAI's dialects read alike. */
export function readOpenAICommon(body: ObjectReader, header: HeaderReader) {
  return {
    ...readCommon(body, header),
    seed: readSeed(body),
    user: readTag(body, "user") ?? readTag(body, "safety_identifier"),
    metadata: readMetadata(body),
  };
}

/** Any whole number of any sign and size; inside, a seed is never negative and always exact. */
export function readSeed(body: ObjectReader): number | undefined {
  const value = body.value("seed");
  if (value === undefined) return undefined;
  if (!Number.isInteger(value)) throw body.wrong("seed", "a whole number");
  return Math.abs(value as number) % 2 ** 53;
}

/** Tags, within the limits that OpenAI documents. Numbers and flags are taken as text. */
export function readMetadata(body: ObjectReader): Record<string, string> | undefined {
  const metadata = body.optionalObject("metadata");
  if (!metadata) return undefined;
  const tags = Object.entries(metadata.fields).filter(([, value]) => value !== null);
  if (tags.length > MAX_TAGS)
    throw body.bad("metadata", `has ${tags.length} pairs; ${MAX_TAGS} are allowed.`);
  return Object.fromEntries(
    tags.map(([name, value]): [string, string] => {
      if (name.length > MAX_NAME_CHARACTERS) {
        const message = `A name in "metadata" is longer than ${MAX_NAME_CHARACTERS} characters.`;
        throw badRequest(message, metadata.pathOf(shorten(name)));
      }
      if (!["string", "number", "boolean"].includes(typeof value)) throw metadata.wrong(name, "a text");
      return [name, checkTag(metadata, name, String(value))];
    }),
  );
}

/** A tag of its own, such as `user`. */
export function readTag(body: ObjectReader, name: string): string | undefined {
  const text = body.optionalText(name);
  return text ? checkTag(body, name, text) : undefined;
}

/** Tags go into bills, so they are no place for a novel. */
function checkTag(reader: ObjectReader, name: string, text: string): string {
  if (text.length <= MAX_VALUE_CHARACTERS) return text;
  throw reader.bad(name, `is longer than ${MAX_VALUE_CHARACTERS} characters.`);
}

/** The task, if it asks anything and is not too large. `param` is the field that holds the conversation. */
export function toAskedTask(task: Task, param: string): Task {
  try {
    return toTask(task);
  } catch (error) {
    throw isTuttiError(error) ? badRequest(error.message, param) : error;
  }
}

/** The schema that an answer must fit, if it is not too large: it is compiled, and told to every worker. */
export function checkSchema({ fields, path }: ObjectReader): ObjectReader["fields"] {
  const { length } = JSON.stringify(fields);
  if (length <= LONGEST_SCHEMA) return fields;
  throw badRequest(`"${path}" has ${length} characters as JSON; ${LONGEST_SCHEMA} are allowed.`, path);
}

/** Equal requests are to look equal, so nothing is set that was not asked for. */
export function toOutput(settings: OutputSettings): OutputSettings | undefined {
  const present = dropAbsent(settings);
  return Object.keys(present).length > 0 ? present : undefined;
}

export function dropAbsent<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => (value ?? null) !== null)) as T;
}

/** False where the client does not want to read what the team is doing: by header or by body. */
function readProgress(header: HeaderReader, body: ObjectReader): boolean {
  const word = header("x-tutti-progress")?.trim().toLowerCase();
  if (word !== undefined && ["off", "false", "0"].includes(word)) return false;
  const tutti = body.value("tutti");
  return !(isFields(tutti) && tutti.progress === false);
}

/** A user's parts; one text alone is just that text. */
export function toUserContent(parts: Part[]): string | Part[] {
  const [only] = parts;
  return parts.length === 1 && only?.type === "text" && !only.isCached ? only.text : parts;
}

export type TextOrImage = Extract<Part, { type: "text" | "image" }>;

/** What a tool returned: its texts as one, its images beside that. */
export function toToolContent(parts: readonly TextOrImage[]): Pick<ToolResult, "content" | "images"> {
  const content = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const images = parts.filter((part) => part.type === "image");
  return images.length > 0 ? { content, images } : { content };
}

/** An image by its data: or http(s): URL. We never open a file or another address for a client. */
export function readImage(reader: ObjectReader, name: string): ImagePart {
  return toImagePart(reader.text(name), reader.pathOf(name));
}

export function toImagePart(url: string, param: string): ImagePart {
  const isInline = /^data:/i.test(url);
  if (isInline ? !isImageData(url) : !(/^https?:\/\//i.test(url) && URL.canParse(url))) {
    const right = "give a data: URL (data:image/png;base64,…) or an https: URL.";
    throw badRequest(`"${shorten(url)}" is no image we can take: ${right}`, param);
  }
  // Whoever reads it later looks for the scheme in lower case.
  return { type: "image", image: isInline ? `data:${url.slice(5)}` : url };
}

/** How closely an image is to be seen. `left` gets any other word than OpenAI's, under the name of the field it is in. */
export function readDetail(
  reader: ObjectReader,
  left: Set<string>,
  field: string,
): Pick<ImagePart, "detail"> {
  const detail = reader.value("detail") ?? "auto";
  if (detail === "low" || detail === "high") return { detail };
  if (detail !== "auto") left.add(`${field}: detail`);
  return {};
}

function isImageData(url: string): boolean {
  const comma = url.indexOf(",");
  if (comma < 0 || comma === url.length - 1) return false;
  const [mediaType = "", ...parameters] = url.slice(5, comma).toLowerCase().split(";");
  if (!/^image\/./.test(mediaType)) return false;
  if (parameters.at(-1) === "base64") return true;
  try {
    decodeURIComponent(url.slice(comma + 1));
    return true;
  } catch {
    return false;
  }
}

// ---- Writing ------------------------------------------------------------------------------------

/** One server-sent event. JSON holds no raw line end, so one data line is enough. */
export function sse(data: object, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A comment of the stream: every client skips it. */
export const KEEP_ALIVE = ": keep-alive\n\n";

export function toTuttiFields(outcome: ReplyOutcome): TuttiFields {
  return {
    run_id: outcome.head.runId,
    cost_usd: outcome.costUsd,
    calls: outcome.calls,
    stop_reason: outcome.stopReason,
    cache_saved_usd: Number(outcome.cacheSavedUsd.toPrecision(12)) || undefined,
    simulated: outcome.isSimulated || undefined,
    cached_response: outcome.isCached,
    ignored: toNames(outcome),
  };
}

/** What of the request nobody follows, and what this worker's provider does not have. They may come from a journal. */
function toNames({ head, ignored = [] }: ReplyOutcome): string[] | undefined {
  const { ignored: unread } = head.request.echo;
  const names = [...(Array.isArray(unread) ? unread.map(String) : []), ...ignored.map(toSettingName).sort()];
  return names.length > 0 ? [...new Set(names)] : undefined;
}

/** As clients write it. */
function toSettingName(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
