// `tutti doctor`: what is wrong with this installation, and the command that mends it.

import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { TuttiConfig } from "../../config/schema.ts";
import type { CommonFlags } from "../options.ts";
import { printJson } from "../terminal/print.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { columnsOf, createStyle } from "../terminal/style.ts";
import { padEnd, wrap } from "../terminal/text-width.ts";
import type { Finding } from "./checks.ts";

export function define(command: Command): void {
  command
    .option("--config <file>", "the config file, instead of tutti.config.{ts,js,yaml,json}")
    .option("--json", "as JSON on standard output")
    .addHelpText(
      "after",
      "\nExample:\n  $ tutti doctor\n\nIt checks Node, the engine, the config and whether it is trusted, keys (by the list of models of their provider),\nlocal servers, workers and the journal. It asks no model and costs nothing. Exit code 1 when something is wrong.",
    )
    .action(examine);
}

async function examine({ config: file, json = false }: CommonFlags): Promise<void> {
  const [checks, providers] = await Promise.all([import("./checks.ts"), import("./providers.ts")]);
  const found: Finding[] = [checks.checkNode(process.version), toVersion(), await checks.checkEngine()];
  const config = await openConfig(file, found);
  found.push(...(await providers.checkKeys(process.env)), await providers.checkServers(process.env));
  if (config)
    found.push(
      ...(await checks.checkWorkers(config, process.env)),
      await checks.checkJournal(config, process.env),
    );
  process.exitCode = found.some(({ state }) => state === "failed") ? 1 : 0;
  if (json) printJson(found);
  else process.stdout.write(toText(found));
}

function toVersion(): Finding {
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  return { name: "tutti", state: "ok", detail: version };
}

async function openConfig(file: string | undefined, found: Finding[]): Promise<TuttiConfig | undefined> {
  const { openConfig: open } = await import("../open-config.ts");
  try {
    const { config, file: path } = await open({ file, isQuiet: true });
    found.push({
      name: "config",
      state: "ok",
      detail: path ?? "none, everything is at its default: tutti init writes one",
    });
    return config;
  } catch (error) {
    const { isTuttiError, messageOf } = await import("../../base/errors.ts");
    const isUntrusted = isTuttiError(error) && error.code === "untrusted-config";
    const mend = isUntrusted
      ? "read it, then: tutti config trust"
      : "correct the lines that the message names (docs/config.md has every field), then: tutti config";
    found.push({ name: "config", state: "failed", detail: messageOf(error), mend });
    return undefined;
  }
}

function toText(found: Finding[]): string {
  const style = createStyle(process.stdout, process.env);
  const width = Math.min(24, Math.max(...found.map(({ name }) => name.length)));
  const marks = { ok: style.green("✓"), warning: style.yellow("!"), failed: style.red("✗") };
  const lines = found.flatMap(({ name, state, detail, mend }) => {
    const said = [toOneLine(detail), ...(mend === undefined ? [] : [`→ ${toOneLine(mend)}`])];
    return said
      .flatMap((text) => wrap(text, columnsOf(process.stdout) - width - 5))
      .map(
        (line, i) =>
          `${i === 0 ? marks[state] : " "} ${padEnd(i === 0 ? toOneLine(name) : "", width)}  ${line}`,
      );
  });
  return `${lines.join("\n")}\n`;
}
