// Every border, in the order in which a run tries them.

import type { FuzzTarget } from "./target.ts";
import { address, host } from "./targets/addresses.ts";
import { answer, graders, jsonOutput, maths } from "./targets/answers.ts";
import { card, tokenizer, weights } from "./targets/checkpoints.ts";
import { completion, label, protocols } from "./targets/environment.ts";
import { config, csv, json, jsonl, keyFile, outcomes, parquet } from "./targets/files.ts";
import { embeddings, page } from "./targets/pages.ts";
import {
  chatRequest,
  messagesRequest,
  objectReader,
  relayBound,
  responsesRequest,
} from "./targets/requests.ts";
import { modelSplice } from "./targets/splice-model.ts";
import { chatStream, lineBuffer, relayUsage } from "./targets/streams.ts";
import { deep, ids, redaction, usage } from "./targets/values.ts";
import { workflow, writtenWorkflow } from "./targets/workflow.ts";

export const TARGETS: readonly FuzzTarget[] = [
  ...[workflow, writtenWorkflow],
  ...[chatRequest, responsesRequest, messagesRequest, objectReader, relayBound],
  ...[address, host, modelSplice],
  ...[chatStream, relayUsage, lineBuffer],
  ...[answer, jsonOutput, maths, graders],
  ...[jsonl, json, csv, parquet, config, keyFile, outcomes],
  ...[page, embeddings],
  ...[label, completion, protocols],
  ...[card, weights, tokenizer],
  ...[redaction, ids, usage, deep],
];
