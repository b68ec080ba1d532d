// `--plan`: a person reads the plan with its estimated cost and says yes, no, or changes it in an editor.
// All of it goes over stderr and stdin, so that the answer stays alone on stdout.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { toCount, toMoney, toRoundNumbers, toSeries, toStepNumbers } from "../../base/format.ts";
import { checkTeam } from "../../conductor/text.ts";
import type { Environment } from "../../config/home.ts";
import { writePrivateFile } from "../../files/private.ts";
import type { PlanEstimate } from "../../perform/estimate.ts";
import type { Verdict } from "../../perform/stage.ts";
import type { PlanForReview } from "../../tutti/ask-options.ts";
import { isSimulatedPool } from "../../worker/kinds.ts";
import { parseWorkflow } from "../../workflow/parse.ts";
import { renderWorkflow } from "../../workflow/render.ts";
import { MAX_STEPS, type Workflow } from "../../workflow/types.ts";
import { firstRoundSeen } from "../../workflow/waves.ts";
import { drawWorkflow, sourcesOf } from "../terminal/draw-workflow.ts";
import { sanitise, toOneLine } from "../terminal/sanitise.ts";
import { columnsOf, createStyle, type Style } from "../terminal/style.ts";
import { wrap } from "../terminal/text-width.ts";

export interface ReviewIo {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stderr: { write(text: string): unknown; isTTY?: boolean; columns?: number };
  env: Environment;
  signal: AbortSignal;
  /** Where lines come from that somebody else reads already; by default standard input itself. */
  nextLine?: () => Promise<string | undefined>;
}

export function createReview(io: ReviewIo): (plan: PlanForReview) => Promise<Verdict> {
  const style = createStyle(io.stderr, io.env);
  const reader = io.nextLine
    ? { next: io.nextLine, pause: () => {}, end: () => {} }
    : createLineReader(io.stdin, io.signal);
  const say = (...lines: string[]) => io.stderr.write(lines.map((line) => `${line}\n`).join(""));

  return async (plan) => {
    try {
      return await ask(plan);
    } finally {
      // A terminal has no lines to lose; of a pipe the next ones are for the next plan.
      if (io.stdin.isTTY) reader.end();
    }
  };

  async function ask(plan: PlanForReview): Promise<Verdict> {
    let { workflow } = plan;
    let draft = toDraft(plan);
    let isEdited = false;
    const show = (shown: Workflow, estimate: PlanEstimate) =>
      say(
        ...toPlanText(shown, toNaming(plan), style, columnsOf(io.stderr)),
        "",
        `  ${toEstimate(plan, estimate)}`,
      );
    show(workflow, plan.estimate);
    for (;;) {
      io.stderr.write(`  ${style.bold("Perform this plan?")} ${style.dim("yes, no or edit:")} `);
      const line = await reader.next();
      if (line === undefined || !io.stdin.isTTY) say("");
      const reply = line?.trim().toLowerCase() ?? "no";
      if (["y", "yes"].includes(reply)) {
        if (io.stdin.isTTY) say("");
        return isEdited ? { type: "edit", workflow } : { type: "approve" };
      }
      if (["n", "no"].includes(reply)) return { type: "refuse" };
      if (!io.stdin.isTTY) {
        say(`  Only "yes" performs a plan; this was ${JSON.stringify(toOneLine(reply))}.`);
        return { type: "refuse" };
      }
      if (!["e", "edit"].includes(reply)) continue;
      reader.pause();
      const edited = await edit(draft, io.env);
      if (typeof edited !== "string") {
        say(`  ${style.red(edited.problem)}`);
        continue;
      }
      draft = edited;
      const read = readDraft(draft, plan);
      if ("problem" in read) {
        say(
          `  ${style.red(`This cannot be performed: ${toOneLine(read.problem)}.`)} Edit it again, or say no.`,
        );
        continue;
      }
      isEdited = true;
      workflow = read.workflow;
      say("");
      show(workflow, plan.estimateOf(workflow));
    }
  }
}

/** Who is behind the numbers of a plan, and in which round it stands. */
export interface PlanNaming {
  nameOf(worker: number): string;
  round: number;
}

function toNaming({ pool, round }: PlanForReview): PlanNaming {
  return { nameOf: (worker) => toOneLine(pool.members[worker]?.worker.id ?? `worker ${worker}`), round };
}

/** The drawing, then each step in full: nobody can agree to a text that was cut. */
export function toPlanText(
  workflow: Workflow,
  { nameOf, round }: PlanNaming,
  style: Style,
  columns: number,
): string[] {
  const drawing = drawWorkflow(workflow, { nameOf, width: columns - 3, style }).map((line) => `  ${line}`);
  const steps = workflow.steps.flatMap(({ worker, subtask, access }, step) => {
    const sources = sourcesOf(workflow, step);
    const before = toRoundNumbers(firstRoundSeen(access, round), round);
    const seen = [...(sources.length > 0 ? [toStepNumbers(sources)] : []), ...(before ? [before] : [])];
    return [
      `  ${style.bold(String(step + 1))}  ${style.worker(worker, nameOf(worker))}${style.dim(seen.length > 0 ? `  sees ${toSeries(seen)}` : "")}`,
      ...wrap(sanitise(subtask), columns - 6).map((line) => `     ${line}`),
    ];
  });
  return [...drawing, "", ...steps];
}

function toEstimate({ pool }: PlanForReview, { usd, maxUsd, calls, unpricedSteps }: PlanEstimate): string {
  const simulated = isSimulatedPool(pool);
  const unknown = unpricedSteps > 0 ? `, and ${toCount(unpricedSteps, "step")} of unknown price` : "";
  return `Estimated cost: ${toMoney(usd, simulated)}, at the most ${toMoney(maxUsd, simulated)}${unknown} · ${toCount(calls, "call")}`;
}

function toDraft({ workflow, pool }: PlanForReview): string {
  const workers = pool.members.map(({ worker }, number) => `#   ${number} is ${toOneLine(worker.id)}`);
  return [
    "# Change the plan below, save it and close the editor. Everything counts from 0 here.",
    "# Workers",
    ...workers,
    "",
    renderWorkflow(workflow),
    "",
  ].join("\n");
}

function readDraft(
  draft: string,
  { pool, workflow, round }: PlanForReview,
): { workflow: Workflow } | { problem: string } {
  const maxSteps = Math.max(MAX_STEPS, workflow.steps.length);
  const parsed = parseWorkflow(draft, { workers: pool.members.length, maxSteps });
  if (!parsed.ok) return { problem: parsed.error.message };
  const error = checkTeam(parsed.workflow, pool, round > 0 ? MAX_STEPS : 0);
  return error ? { problem: error.message } : { workflow: parsed.workflow };
}

async function edit(draft: string, env: Environment): Promise<string | { problem: string }> {
  const editor = env.VISUAL || env.EDITOR;
  if (!editor) return { problem: "There is no editor: set VISUAL or EDITOR, for example EDITOR=nano." };
  const folder = mkdtempSync(join(tmpdir(), "tutti-plan-"));
  try {
    const file = join(folder, "plan.txt");
    writePrivateFile(file, draft);
    // An editor may come with flags ("code --wait"), so the shell takes it apart. It draws on stderr.
    const child = spawn(`${editor} "${file}"`, { shell: true, stdio: ["inherit", 2, 2] });
    const code = await new Promise<number | string>((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("exit", (status, signal) => resolve(status ?? signal ?? "unknown"));
    });
    return code === 0
      ? readFileSync(file, "utf8")
      : { problem: `The editor failed (${code}); the plan is as it was.` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lines of standard input, one at a time. Undefined at its end, and when the run is stopped. */
function createLineReader(input: NodeJS.ReadableStream, signal: AbortSignal) {
  let reader: Interface | undefined;
  let lines: AsyncIterator<string> | undefined;
  function open(): AsyncIterator<string> {
    // The terminal itself edits the line; raw mode would take Ctrl-C away from the process.
    reader = createInterface({ input, terminal: false });
    signal.addEventListener("abort", () => reader?.close(), { once: true });
    if (signal.aborted) reader.close();
    return reader[Symbol.asyncIterator]();
  }
  return {
    async next(): Promise<string | undefined> {
      lines ??= open();
      if (!signal.aborted) reader?.resume();
      const { value, done } = await lines.next();
      return done ? undefined : value;
    },
    pause: () => reader?.pause(),
    end() {
      reader?.close();
      lines = undefined;
    },
  };
}
