#!/usr/bin/env node
// The command `tutti`. It loads the file of the verb that is asked for and no other (program.ts): help and bad usage
// must not wait for providers, the journal or the rehearsal to load.

import { createProgram } from "./program.ts";

/** Output goes to whoever reads it; when the reader has gone, there is nothing left to do or to say. */
function endQuietlyWithoutReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(process.exitCode ?? 0);
    throw error;
  });
  process.stderr.on("error", () => {});
}

/** Never fails itself: what it throws would be unexpected too, and be reported again, forever. */
async function report(error: unknown, isJson: boolean): Promise<void> {
  process.exitCode = 1;
  try {
    const { reportError } = await import("./report-error.ts");
    process.exitCode = reportError(error, isJson, process);
  } catch (problem) {
    const first = (value: unknown) =>
      String(value)
        .split("\n")[0]!
        .replace(/\p{Cc}/gu, "");
    process.stderr.write(`tutti: ${first(error)} (it cannot be told better: ${first(problem)})\n`);
  }
}

/** A verb is one word; whoever forgets it writes a sentence. */
function looksLikeQuestion(word: string): boolean {
  return !word.startsWith("-") && /\s|\?$/.test(word.trim());
}

async function main(argv: readonly string[]): Promise<void> {
  endQuietlyWithoutReader();
  const end = argv.indexOf("--");
  const isJson = (end < 0 ? argv : argv.slice(0, end)).includes("--json");
  const onUnexpected = (error: unknown) => report(error, isJson).then(() => process.exit());
  process.on("uncaughtException", onUnexpected).on("unhandledRejection", onUnexpected);
  try {
    // The verb is the first word, or the second after `help`.
    const program = await createProgram(argv.filter((word) => !word.startsWith("-")).slice(0, 2));
    const [first = ""] = argv;
    if (looksLikeQuestion(first)) {
      const { usageError } = await import("../base/errors.ts");
      const { toCommandLine } = await import("./options.ts");
      throw usageError(`there is no such verb. To ask this: ${toCommandLine(["ask", ...argv])}`);
    }
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    // Help and version end in commander by an "error" without a fault.
    if ((error as { exitCode?: unknown }).exitCode !== 0) await report(error, isJson);
  }
  // Sockets that are kept alive must not hold the process; what was written must be out before it ends.
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write("", done))),
  );
  process.exit();
}

await main(process.argv.slice(2));
