// Embeddings of measured questions: how they are kept with a calibration (base64 of 32-bit floats, little-endian), and how
// those that are missing are asked for, so that no question is embedded twice by one encoder.

import type { CalibrationTask, QuestionEmbeddings } from "../types.ts";
import type { QuestionEncoder } from "./encoder.ts";

const FLOAT_BYTES = 4;

/** Undefined where it has no direction: all zeros, or a number that is none. */
export function toUnitVector(numbers: ArrayLike<number>): Float32Array | undefined {
  let square = 0;
  for (let i = 0; i < numbers.length; i++) square += numbers[i]! ** 2;
  const length = Math.sqrt(square);
  if (!(length > 0 && Number.isFinite(length))) return undefined;
  return Float32Array.from(numbers, (number) => number / length);
}

/** Those that are missing are zeros. */
export function toBase64({ dimension, vectors }: QuestionEmbeddings): string {
  const bytes = Buffer.alloc(vectors.length * dimension * FLOAT_BYTES);
  for (const [task, vector] of vectors.entries())
    for (let i = 0; vector && i < dimension; i++)
      bytes.writeFloatLE(vector[i]!, (task * dimension + i) * FLOAT_BYTES);
  return bytes.toString("base64");
}

export function fromBase64(text: string, dimension: number): (Float32Array | undefined)[] {
  const bytes = Buffer.from(text, "base64");
  const count = Math.floor(bytes.length / (dimension * FLOAT_BYTES));
  return Array.from({ length: count }, (_, task) =>
    toUnitVector(
      Float32Array.from({ length: dimension }, (_, i) =>
        bytes.readFloatLE((task * dimension + i) * FLOAT_BYTES),
      ),
    ),
  );
}

/** How long the text is that so many vectors make. */
export function base64Length(count: number, dimension: number): number {
  return Math.ceil((count * dimension * FLOAT_BYTES) / 3) * 4;
}

/** The vectors that are known already, in the order of these tasks. */
export function alignEmbeddings(
  tasks: readonly CalibrationTask[],
  known: { tasks: readonly CalibrationTask[]; embeddings?: QuestionEmbeddings } | undefined,
): QuestionEmbeddings | undefined {
  const { embeddings } = known ?? {};
  if (!known || !embeddings) return undefined;
  const byText = new Map(known.tasks.map(({ text }, task) => [text, embeddings.vectors[task]]));
  return { ...embeddings, vectors: tasks.map(({ text }) => byText.get(text)) };
}

/** With a vector for each task; undefined where there is no text. Those of another encoder, or of another dimension, are replaced. Throws what the encoder throws. */
export async function embedTasks(
  tasks: readonly CalibrationTask[],
  known: QuestionEmbeddings | undefined,
  encoder: QuestionEncoder,
  signal: AbortSignal,
): Promise<QuestionEmbeddings | undefined> {
  const kept = known?.encoder === encoder.id ? known : undefined;
  const missing = tasks.filter(({ text }, task) => text !== "" && !kept?.vectors[task]);
  const texts = [...new Set(missing.map(({ text }) => text))];
  if (texts.length === 0) return kept;
  const found = await encoder.encode(texts, signal);
  const dimension = found[0]?.length;
  if (dimension === undefined) return kept;
  // The server has another model under the same name now: none of the old vectors can be compared with its.
  if (kept && kept.dimension !== dimension) return embedTasks(tasks, undefined, encoder, signal);
  const byText = new Map(texts.map((text, i) => [text, found[i]]));
  const vectors = tasks.map(({ text }, task) => kept?.vectors[task] ?? byText.get(text));
  return { encoder: encoder.id, dimension, vectors };
}
