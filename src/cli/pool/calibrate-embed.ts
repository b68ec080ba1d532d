// The embeddings of a calibration: each measured question once by each encoder. Where they cannot be had one line says
// why, and what was known stays: a calibration is of use without them.

import { messageOf } from "../../base/errors.ts";
import { alignEmbeddings, embedTasks } from "../../calibration/embedding/vectors.ts";
import type { Calibration, QuestionEmbeddings, SavedCalibration } from "../../calibration/types.ts";
import { toEncoder } from "../../config/encoder.ts";
import type { TuttiConfig } from "../../config/schema.ts";
import { toOneLine } from "../terminal/sanitise.ts";

/** For all of them together. */
const EMBED_MS = 300_000;

/** How many questions have embeddings, and whose. */
export interface Embedded {
  encoder: string;
  dimension: number;
  tasks: number;
}

/** `embedded`: only where embeddings are configured and were had. */
export async function embedCalibration(
  { tasks }: Calibration,
  before: SavedCalibration | undefined,
  config: Pick<TuttiConfig, "embeddings">,
): Promise<{ embeddings?: QuestionEmbeddings; embedded?: Embedded }> {
  const known = alignEmbeddings(tasks, before);
  const found = toEncoder(config, process.env);
  if (!found) return { embeddings: known };
  try {
    if (found.ok) {
      const embeddings = await embedTasks(tasks, known, found.encoder, AbortSignal.timeout(EMBED_MS));
      return { embeddings, embedded: embeddings && toEmbedded(embeddings) };
    }
    process.stderr.write(`${toOneLine(found.problem)}.\n`);
  } catch (error) {
    const why = `Embeddings by ${found.ok ? found.encoder.id : ""} could not be had: ${messageOf(error)}`;
    process.stderr.write(`${toOneLine(why)}. The profiles are saved without new ones.\n`);
  }
  return { embeddings: known };
}

function toEmbedded({ encoder, dimension, vectors }: QuestionEmbeddings): Embedded {
  return { encoder, dimension, tasks: vectors.filter((vector) => vector !== undefined).length };
}
