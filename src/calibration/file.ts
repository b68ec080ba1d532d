// Calibrations on disk: `<home>/calibration/<name>.json`, one for each task set a pool was measured on. What
// is there is merged worker by worker. A file that cannot be read is told of and left out: a question must
// not fail because of numbers it can do without.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { TuttiError, usageError } from "../base/errors.ts";
import type { ReplyFeatures } from "../belief/reply-features.ts";
import { makePrivateFolder } from "../files/private.ts";
import { writeFileSafely } from "../files/write-safely.ts";
import { TOPICS } from "../worker/types.ts";
import { MOST_DIMENSIONS } from "./embedding/encoder.ts";
import { base64Length, fromBase64, toBase64 } from "./embedding/vectors.ts";
import { mergeCalibrations } from "./merge.ts";
import type { LoadedCalibrations } from "./shelf.ts";
import type { JudgeMeasurement, SavedCalibration } from "./types.ts";

const VERSION = 1;
const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/;

const amount = z.number().min(0);
const replySchema = z.strictObject({
  ...{ characters: amount, cleanEnd: amount, hedges: amount, changes: amount, answers: amount },
}) satisfies z.ZodType<ReplyFeatures>;

const count = z.int().min(0);
const judgeSchema = z.strictObject({
  id: z.string().min(1),
  measuredAt: z.iso.datetime(),
  ...{ right: count, refusedRight: count, wrong: count, acceptedWrong: count },
}) satisfies z.ZodType<JudgeMeasurement>;

const fileSchema = z
  .strictObject({
    version: z.literal(VERSION),
    source: z.string(),
    workers: z.array(
      z.strictObject({
        id: z.string().min(1),
        /** When it was asked last: of two files the later one counts. */
        measuredAt: z.iso.datetime(),
        delayMs: z.number().min(0).optional(),
      }),
    ),
    tasks: z.array(
      z.strictObject({
        text: z.string(),
        topic: z.enum(TOPICS).optional(),
        /** Absent in files of 0.1. */
        category: z.string().optional(),
        family: z.string().optional(),
      }),
    ),
    /** Absent where nobody was measured as a judge, and in older files. */
    judges: z.array(judgeSchema).optional(),
    /** A row for each task, a column for each worker; null: not measured. */
    scores: z.array(z.array(z.number().min(0).max(1).nullable())),
    /** In the same order: equal numbers are equal answers of a task; null: none. Absent in files of 0.1. */
    answers: z.array(z.array(z.int().min(0).nullable())).optional(),
    /** In the same order: what the replies looked like, never what they said; null: not known. Absent in older files. */
    replies: z.array(z.array(replySchema.nullable())).optional(),
    /** Of the texts, where an encoder is configured. */
    embeddings: z
      .strictObject({
        encoder: z.string().min(1),
        dimension: z.int().min(1).max(MOST_DIMENSIONS),
        /** 32-bit floats, little-endian, task after task, in base64; zeros: not embedded. */
        vectors: z.string(),
      })
      .optional(),
  })
  .check((context) => {
    const { scores, answers, replies } = context.value;
    const problem =
      findWrongShape("scores", scores, context.value) ??
      findWrongShape("answers", answers, context.value) ??
      findWrongShape("replies", replies, context.value) ??
      findWrongLength(context.value);
    if (problem) context.issues.push({ code: "custom", message: problem, input: scores });
  });

function findWrongShape(
  name: string,
  rows: readonly (readonly unknown[])[] | undefined,
  { tasks, workers }: { tasks: readonly unknown[]; workers: readonly unknown[] },
): string | undefined {
  if (rows === undefined) return undefined;
  if (rows.length !== tasks.length) return `"${name}" has ${rows.length} rows for ${tasks.length} tasks`;
  const wrong = rows.findIndex((row) => row.length !== workers.length);
  return wrong < 0
    ? undefined
    : `row ${wrong} of "${name}" has ${rows[wrong]!.length} entries for ${workers.length} workers`;
}

function findWrongLength({
  tasks,
  embeddings,
}: {
  tasks: readonly unknown[];
  embeddings?: { dimension: number; vectors: string };
}): string | undefined {
  if (!embeddings) return undefined;
  const { dimension, vectors } = embeddings;
  return vectors.length === base64Length(tasks.length, dimension)
    ? undefined
    : `"embeddings" do not hold ${tasks.length} vectors of ${dimension} numbers`;
}

export function toCalibrationFolder(home: string): string {
  return join(home, "calibration");
}

/** A name that can be that of a file, whatever a task set is called. */
export function toCalibrationName(set: string): string {
  const name = set
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, 100);
  return name || "tasks";
}

/** As it is kept, in a file or in a table. Refused now rather than found broken when it is needed. */
export function toCalibrationText(name: string, calibration: SavedCalibration): string {
  if (!NAME.test(name))
    throw usageError(
      `A calibration must be named with small letters, digits, ".", "_" and "-", not "${name}"`,
    );
  const { workers, measuredAt, delaysMs = [], tasks, scores, answers, replies, source } = calibration;
  const { embeddings, judges } = calibration;
  const content: z.input<typeof fileSchema> = {
    version: VERSION,
    source,
    workers: workers.map((id, i) => ({
      id,
      measuredAt: measuredAt[i] ?? "",
      delayMs: delaysMs[i],
    })),
    tasks: tasks.map(({ text, topic, category, family }) => ({ text, topic, category, family })),
    judges: judges && [...judges],
    scores: scores.map((row) => row.map((score) => score ?? null)),
    answers: answers?.map((row) => row.map((answer) => answer ?? null)),
    replies: replies?.map((row) => row.map((features) => features ?? null)),
    embeddings: embeddings && {
      encoder: embeddings.encoder,
      dimension: embeddings.dimension,
      vectors: toBase64(embeddings),
    },
  };
  fileSchema.parse(content);
  return JSON.stringify(content);
}

/** `where`: what it is and where it was found, for people. Throws "bad-file" for what is no calibration. */
export function fromCalibrationText(where: string, text: string): SavedCalibration {
  const { workers, tasks, scores, answers, replies, source, embeddings, judges } = parse(where, text);
  return {
    workers: workers.map(({ id }) => id),
    measuredAt: workers.map(({ measuredAt }) => measuredAt),
    delaysMs: workers.map(({ delayMs }) => delayMs),
    tasks: tasks.map(({ text, topic, category, family }) => ({ text, topic, category, family })),
    judges,
    scores: scores.map((row) => row.map((score) => score ?? undefined)),
    answers: answers?.map((row) => row.map((answer) => answer ?? undefined)),
    replies: replies?.map((row) => row.map((features) => features ?? undefined)),
    embeddings: embeddings && {
      ...embeddings,
      vectors: fromBase64(embeddings.vectors, embeddings.dimension),
    },
    source,
  };
}

/** Returns the path. What was there under the name is replaced as a whole. */
export async function saveCalibration(
  home: string,
  name: string,
  calibration: SavedCalibration,
): Promise<string> {
  const text = toCalibrationText(name, calibration);
  const folder = toCalibrationFolder(home);
  makePrivateFolder(folder);
  const path = join(folder, `${name}.json`);
  await writeFileSafely(path, Buffer.from(`${text}\n`));
  return path;
}

/** Undefined where there is no such file. Throws "bad-file" for one that is not a calibration. */
export async function loadCalibration(home: string, name: string): Promise<SavedCalibration | undefined> {
  const path = join(toCalibrationFolder(home), `${name}.json`);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw badFile(path, error.message);
  });
  return text === undefined ? undefined : fromCalibrationText(path, text);
}

/** Their names, in order. */
export async function listCalibrations(home: string): Promise<string[]> {
  const files = await readdir(toCalibrationFolder(home)).catch(() => []);
  return files
    .filter((file) => /^[^.].*\.json$/.test(file))
    .sort()
    .map((file) => file.replace(/\.json$/, ""));
}

/** All files of a home together, as `CalibrationShelf.loadAll`. */
export async function loadCalibrations(home: string, encoder?: string): Promise<LoadedCalibrations> {
  const problems: string[] = [];
  const found: SavedCalibration[] = [];
  for (const name of await listCalibrations(home)) {
    try {
      const calibration = await loadCalibration(home, name);
      if (calibration) found.push(withEncoder(calibration, encoder));
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return { problems, calibration: mergeCalibrations(found) };
}

/** With the embeddings of this encoder, or none. */
export function withEncoder(calibration: SavedCalibration, encoder: string | undefined): SavedCalibration {
  const isWanted = encoder !== undefined && calibration.embeddings?.encoder === encoder;
  return isWanted ? calibration : { ...calibration, embeddings: undefined };
}

function parse(where: string, text: string): z.output<typeof fileSchema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badFile(where, `not JSON: ${(error as Error).message}`);
  }
  const parsed = fileSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw badFile(where, path.length > 0 ? `"${path.join(".")}": ${message}` : message);
}

function badFile(where: string, problem: string): TuttiError {
  const remedy = "Delete it, and measure again with `tutti pool calibrate`";
  return new TuttiError("bad-file", `${where} is no calibration: ${problem}. ${remedy}`);
}
