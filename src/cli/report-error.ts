// Whatever goes wrong becomes one line (or one JSON document) and an exit code. Never a stack, unless
// TUTTI_DEBUG=1 asks for it.

import type { CommanderError } from "commander";
import { isTuttiError } from "../base/errors.ts";
import { sanitise, toJson } from "./terminal/sanitise.ts";

const BAD_USAGE = 2;
const FAILED = 1;

interface Streams {
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
}

export function reportError(
  error: unknown,
  isJson: boolean,
  io: Streams & { env: NodeJS.ProcessEnv },
): number {
  const { code, message, exitCode } = describe(error);
  if (isJson) io.stdout.write(`${toJson({ error: { code, message } })}\n`);
  else io.stderr.write(`tutti: ${sanitise(message)}\n`);
  if (io.env.TUTTI_DEBUG === "1" && error instanceof Error) io.stderr.write(`${stackOf(error)}\n`);
  return exitCode;
}

function describe(error: unknown): { code: string; message: string; exitCode: number } {
  if (isCommanderError(error) && error.code === "commander.help")
    return { code: "usage", message: "there is no such verb. See: tutti --help", exitCode: BAD_USAGE };
  if (isCommanderError(error))
    return { code: "usage", message: fromCommander(error.message), exitCode: BAD_USAGE };
  if (isTuttiError(error)) {
    return {
      code: error.code,
      message: error.message,
      exitCode: error.code === "usage" ? BAD_USAGE : FAILED,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  const line = message.split("\n")[0] || "no message";
  return {
    code: "unexpected",
    message: `unexpected error: ${line} (run it again with TUTTI_DEBUG=1 to see where it comes from)`,
    exitCode: FAILED,
  };
}

/** Told by its code, so that commander need not be loaded for it. */
function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith("commander.");
}

/** "error: unknown option '--jsn'\n(Did you mean --json?)" in our own way. */
function fromCommander(message: string): string {
  return message
    .trim()
    .replace(/^error: /, "")
    .replace(/\n\((Did you mean .*\?)\)$/s, ". $1");
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by: ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
