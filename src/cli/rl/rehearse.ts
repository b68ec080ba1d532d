// `tutti rl rehearse`: a scripted policy trains against a server, and people see what comes of it. A simulation
// from end to end: tasks, workers, prices and the policy.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toPercent } from "../../base/format.ts";
import type { RehearsedIteration } from "../../environment/rehearse.ts";
import { printJson } from "../terminal/print.ts";
import { createStyle } from "../terminal/style.ts";

export interface RlRehearseFlags {
  url?: string;
  iterations: number;
  questions: number;
  group: number;
  seed: number;
  json?: boolean;
}

export async function rehearseRl(flags: RlRehearseFlags): Promise<void> {
  const { iterations, questions, group, seed, json } = flags;
  const { rehearsePolicy } = await import("../../environment/rehearse.ts");
  const style = createStyle(process.stderr, process.env);
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  const server = flags.url === undefined ? await startServer() : { url: flags.url.replace(/\/+$/, "") };
  say(
    style.yellow(
      "A simulation: the tasks, the workers and the policy are scripted. Nothing is learned that could be used.",
    ),
  );
  say(`A policy of five habits asks ${server.url}/rl/openrlhf, ${questions * group} rollouts an iteration.`);
  const show = (metrics: RehearsedIteration) => {
    if (!json) process.stdout.write(`${toLine(metrics)}\n`);
  };
  try {
    const { signal } = new AbortController();
    const told = await rehearsePolicy({
      url: server.url,
      iterations,
      questions,
      group,
      seed,
      signal,
      onIteration: show,
    });
    const health = await (await fetch(`${server.url}/health`)).json();
    if (json) printJson({ simulated: true, iterations: told, server: health });
    else {
      const { performed, kept, joined } = health as Record<string, number>;
      say(
        `The server performed ${performed} different completions once each, and answered ${kept! + joined!} repeats from them.`,
      );
    }
  } finally {
    await server.close?.();
  }
}

async function startServer(): Promise<{ url: string; close?: () => Promise<void> }> {
  const [{ startEnvironment }, { createQuestionFinder }] = await Promise.all([
    import("../../environment/server.ts"),
    import("../../environment/find-question.ts"),
  ]);
  const folder = mkdtempSync(join(tmpdir(), "tutti-rl-"));
  const environment = await startEnvironment({
    finder: createQuestionFinder(),
    journal: join(folder, "rollouts.jsonl"),
  });
  return {
    url: environment.url,
    async close() {
      await environment.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function toLine({ iteration, reward, validShare, habits }: RehearsedIteration): string {
  const likely = Object.entries(habits)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([habit, probability]) => `${habit} ${toPercent(probability)}`);
  return `iteration ${String(iteration + 1).padStart(3)}   reward ${reward.toFixed(2)}   ${toPercent(validShare).padStart(5)} valid   ${likely.join(", ")}`;
}
