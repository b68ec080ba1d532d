// The tutti.config.yaml that `tutti init` writes: what was found, each line with what it is for. Never a key, only the name
// of the variable that holds it.

import { toPrices } from "../../base/format.ts";
import { findProviderInfo, relayTargetOf } from "../../config/endpoint.ts";
import { modelsOf } from "../../worker/kinds.ts";
import type { PoolMember } from "../../worker/types.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import type { Survey } from "./survey.ts";

export interface ConfigTextOptions extends Pick<Survey, "pool" | "leftOut"> {
  conductor: { id: string; reason: string };
  calibrate: string;
  /** The day it is written, as 2026-01-31. */
  date: string;
}

export function toConfigText({ pool, leftOut, conductor, calibrate, date }: ConfigTextOptions): string {
  const workers = modelsOf(pool).map(toEntry);
  const others = leftOut.map(({ id, detail }) => `  # ${toOneLine(id)}: ${toOneLine(detail)}`);
  return `# Written by tutti init on ${date}. Every field: docs/config.md. Check it: tutti pool
# Keys are never in this file: they stay in the environment, under the names that it says.

# Who can be asked. The first ones are taken for the strongest until they are measured: ${toOneLine(calibrate)}
workers:
${[...workers, ...others].join("\n")}

# Who plans. Chosen for every question; at the moment it would be ${toOneLine(conductor.id)}:
# ${toOneLine(conductor.reason)}.
# conductor: ${toText(conductor.id)}

# How much an answer may take: economy, balanced, high or max. --quality changes it for one question.
quality: balanced

# For each question; null switches a limit off. A budget is never overrun.
limits:
  usd: 1
  calls: 40
  deadlineMs: 600000
`;
}

/** Short where the provider's own name says it all, with address and variable where it does not. */
function toEntry({ worker, price }: PoolMember): string {
  const target = relayTargetOf(worker);
  const note = `# ${toOneLine(price === undefined ? "price unknown: add price: { inputUsd: …, outputUsd: … }" : price.outputUsd === 0 ? "free" : `${toPrices(price)} dollars per million tokens, in / out`)}`;
  const info = target && findProviderInfo(target.provider);
  if (!target || info?.baseUrl === target.baseUrl) return `  - ${toText(worker.id)} ${note}`;
  const key = target.apiKey === undefined ? undefined : info?.keys[0];
  return [
    `  - model: ${toText(`${target.provider}/${target.model}`)} ${note}`,
    `    baseUrl: ${toText(target.baseUrl)}`,
    ...(key === undefined ? [] : [`    apiKeyEnv: ${key}`]),
  ].join("\n");
}

/** Names come from servers: quoted unless they are plain words. JSON's quotes are YAML's. */
function toText(name: string): string {
  return /^[A-Za-z][\w./-]*$/.test(name) ? name : JSON.stringify(name);
}
