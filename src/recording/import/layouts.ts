// The list of layouts that can be imported, and the import itself.

import { usageError } from "../../base/errors.ts";
import { shorten } from "../../base/format.ts";
import { didYouMean } from "../../base/suggest.ts";
import { LM_EVAL, OPENAI_EVALS } from "./harness.ts";
import { HELM } from "./helm.ts";
import { LLM_ROUTER_BENCH, ROUTER_EVAL } from "./result-files.ts";
import { type ImportSummary, RecordingSink, type SinkOptions } from "./sink.ts";
import { EMBED_LLM, TABLE } from "./table.ts";
import type { LayoutOptions, OutcomeLayout } from "./types.ts";
import { ROUTER_BENCH, SPROUT } from "./wide.ts";

export const LAYOUTS: readonly OutcomeLayout[] = [
  ROUTER_BENCH,
  LLM_ROUTER_BENCH,
  SPROUT,
  ROUTER_EVAL,
  EMBED_LLM,
  HELM,
  LM_EVAL,
  OPENAI_EVALS,
  TABLE,
];

export function findLayout(name: string): OutcomeLayout {
  const found = LAYOUTS.find(({ id }) => id === name);
  if (found) return found;
  const names = LAYOUTS.map(({ id }) => id);
  throw usageError(
    `No format "${shorten(name)}" (there are: ${names.join(", ")}).${didYouMean(name, names)}`,
  );
}

export interface ImportOptions extends LayoutOptions, SinkOptions {
  source: string;
  layout: OutcomeLayout;
  /** Further files of the recording by name, such as its prices. */
  extra?: Readonly<Record<string, string>>;
}

/** All or nothing: what is wrong is thrown by file and line, and no folder is left. */
export async function importRecording({
  source,
  layout,
  extra,
  ...options
}: ImportOptions): Promise<ImportSummary> {
  const sink = new RecordingSink(options);
  try {
    await layout.read(source, sink, options);
  } catch (error) {
    sink.discard();
    throw error;
  }
  return sink.finish(extra);
}
