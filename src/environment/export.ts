// An export: a folder with train.jsonl, test.jsonl, what the engine needs of us, and a README with its command.

import { copyFileSync, cpSync, existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { usageError } from "../base/errors.ts";
import { makePrivateFolder, writePrivateFile } from "../files/private.ts";
import { toCommand } from "./export-commands.ts";
import type { PosedSplits } from "./export-questions.ts";
import { type ExportEngine, type PosedQuestion, toDatasetRow, toPrompt } from "./export-rows.ts";

const PYTHON = fileURLToPath(new URL("../../python", import.meta.url));
/** Of English with numbers, on the safe side. */
const CHARACTERS_PER_TOKEN = 3;

export interface ExportOptions {
  engine: ExportEngine;
  folder: string;
  splits: PosedSplits;
  /** "rehearsal (simulated)", "gsm8k". */
  world: string;
  isSimulated: boolean;
  url: string;
  model: string;
  /** How the server is started that knows these labels. */
  serve: string;
}

export interface Exported {
  folder: string;
  train: number;
  test: number;
  longestPromptCharacters: number;
}

export function writeExport(options: ExportOptions): Exported {
  const { engine, splits } = options;
  const folder = resolve(options.folder);
  refuseUsed(folder);
  makePrivateFolder(folder);
  for (const name of ["train", "test"] as const) {
    const rows = splits[name].map(
      (posed, index) => `${JSON.stringify(toDatasetRow(engine, posed, index))}\n`,
    );
    writePrivateFile(join(folder, `${name}.jsonl`), rows.join(""));
  }
  if (engine === "trl" || engine === "verl")
    copyFileSync(join(PYTHON, "conductor_reward.py"), join(folder, "conductor_reward.py"));
  if (engine === "nemo-gym") {
    cpSync(join(PYTHON, "nemo_gym"), join(folder, "nemo_gym"), { recursive: true });
    makePrivateFolder(join(folder, "nemo_gym", "data"));
  }
  const exported = {
    folder,
    train: splits.train.length,
    test: splits.test.length,
    longestPromptCharacters: longest([...splits.train, ...splits.test]),
  };
  writePrivateFile(join(folder, "README.md"), toReadme(options, exported));
  return exported;
}

/** Rows of another export would be read with these. */
function refuseUsed(folder: string): void {
  if (!existsSync(folder)) return;
  try {
    if (readdirSync(folder).length === 0) return;
  } catch (error) {
    throw usageError(`${folder} is not a folder: choose another one with --out`, error);
  }
  throw usageError(`${folder} is not empty: choose a folder of its own for the export with --out`);
}

function longest(questions: readonly PosedQuestion[]): number {
  const lengths = questions.map((posed) =>
    toPrompt(posed).reduce((sum, { content }) => sum + content.length, 0),
  );
  return lengths.reduce((most, length) => Math.max(most, length), 0);
}

function toReadme(
  options: ExportOptions,
  { folder, train, test, longestPromptCharacters }: Exported,
): string {
  const { engine, world, isSimulated, url, model, serve } = options;
  const simulated = isSimulated
    ? "\nTasks and workers are **simulated**: good for trying everything out, worth nothing as a result.\n"
    : "";
  const tokens = Math.ceil(longestPromptCharacters / CHARACTERS_PER_TOKEN);
  return `# A Conductor for ${world}, trained with ${engine}

${train.toLocaleString("en")} training and ${test.toLocaleString("en")} test questions, each with our Conductor's prompt and a label that the server finds
the question, its grader and its pool by. The longest prompt has ${longestPromptCharacters.toLocaleString("en")} characters, at most about ${tokens.toLocaleString("en")} tokens:
prompt and 1,024 new tokens must fit into the engine's limit, or prompts are cut.
${simulated}
1. Start the environment, on a machine that the trainer reaches:

\`\`\`
${serve}
\`\`\`

2. Train:

\`\`\`
${toCommand(engine, { folder, url, model })}
\`\`\`

${engine === "openrlhf" ? "OpenRLHF's own argument parser accepts this command, by our notes" : "The command is written after the engine's documentation and was not run by us"}; flags change between versions.

The reward is 0 for what is no workflow, 0.5 for one whose answer is wrong, 1 for a right one. What fails for
reasons that are not the policy's (workers down, money spent, an unknown label) is answered with a number of its
own, counted in /metrics as \`tutti_rl_failures_total\` and told in the log: watch it.

The whole way, from an empty machine to a served Conductor, is in docs/rl.md of Tutti.
`;
}
