// What is said about a training in its folder (`training.json`): what it is, how it stands, how to repeat it.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { TuttiError } from "../base/errors.ts";
import { readWhole } from "../files/bounds.ts";

const VERSION = 1;
export const STATEMENT = "training.json";

const statementSchema = z.object({
  version: z.literal(VERSION),
  /** Of the world, for people. */
  world: z.string(),
  /** All of it, or a part of it. */
  isSimulated: z.boolean(),
  /** Of worlds that were joined: each of them. */
  parts: z.array(z.object({ name: z.string(), isSimulated: z.boolean() })).optional(),
  /** As they were chosen or left: enough to build the same world and training again. */
  settings: z.record(z.string(), z.unknown()),
  seed: z.number(),
  /** The command line that repeats it. */
  command: z.string(),
  engine: z.string().optional(),
  /** Milliseconds since 1970. */
  startedAt: z.number(),
  endedAt: z.number().optional(),
  state: z.enum(["running", "done", "stopped", "failed"]),
  /** Why it failed. */
  problem: z.string().optional(),
  notices: z.array(z.string()).default([]),
});
export type TrainingStatement = z.infer<typeof statementSchema>;

const EMPTY = {
  world: "",
  isSimulated: false,
  settings: {},
  seed: 0,
  command: "",
  state: "running",
} as const;

/** What was never said stays empty. */
export function changeStatement(
  before: TrainingStatement | undefined,
  change: Partial<TrainingStatement>,
): TrainingStatement {
  const known = before ?? { ...EMPTY, startedAt: Date.now() };
  return statementSchema.parse({ ...known, ...change, version: VERSION });
}

/** Undefined where there is none. */
export function readStatement(path: string): TrainingStatement | undefined {
  const file = join(path, STATEMENT);
  if (!existsSync(file)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(readWhole(file).toString("utf8"));
  } catch (error) {
    throw new TuttiError("bad-training", `${file} cannot be read: it is not JSON`, { cause: error });
  }
  const version = (value as { version?: unknown } | null)?.version;
  if (version !== VERSION)
    throw new TuttiError(
      "other-version",
      `${file} is of another version of Tutti: its format is ${JSON.stringify(version) ?? "not stated"}, not ${VERSION}`,
    );
  const parsed = statementSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new TuttiError("bad-training", `${file} cannot be read: ${issue!.path.join(".")} ${issue!.message}`);
}
