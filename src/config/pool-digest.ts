// Who the workers of a pool are, as digests that machines can compare: which model under which settings. Not where it stands and
// by which key it is asked, for that may differ from machine to machine; nor its price, which only whoever pays looks at.

import { hash } from "node:crypto";
import { isModel } from "../worker/kinds.ts";
import type { Pool } from "../worker/types.ts";
import { referenceOf } from "./endpoint.ts";
import { isPoolMember, type TuttiConfig, toWorkerId } from "./schema.ts";

export interface PoolDigest {
  /** Of all of them. */
  digest: string;
  /** By the id of the worker. */
  digests: Record<string, string>;
}

/** Changed when asks are written down in another way. */
const FORMAT = 1;
const LENGTH = 16;

export function digestPool({ members }: Pool, config: Pick<TuttiConfig, "workers">): PoolDigest {
  const models = members.filter(({ worker }) => isModel(worker)).map(({ worker }) => worker);
  const digests = Object.fromEntries(
    models
      .map((worker) => [worker.id, toDigest([referenceOf(worker) ?? null, settingsOf(worker.id, config)])])
      .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
  );
  return { digest: toDigest([FORMAT, digests]), digests };
}

/** "openai" of "openai/gpt-6-sol", whatever the worker is called here. */
export function providerOf({ members }: Pool, id: string): string {
  const worker = members.find((member) => member.worker.id === id)?.worker;
  return ((worker && referenceOf(worker)) ?? id).split("/")[0]!;
}

/** What of a config changes its replies. Workers made in code are known by their names alone. */
function settingsOf(id: string, { workers = [] }: Pick<TuttiConfig, "workers">): unknown {
  const entry = workers.find((each) => toWorkerId(each) === id);
  if (!entry || isPoolMember(entry)) return null;
  const { temperature = null, takesImages = null, thinking = null, options = null } = entry;
  return { temperature, takesImages, thinking, options };
}

function toDigest(value: unknown): string {
  return hash("sha256", JSON.stringify(value), "hex").slice(0, LENGTH);
}
