// Whatever goes wrong becomes one line, one more that says what to do, and an exit code; or one JSON document.
// Never a stack, unless TUTTI_DEBUG=1 asks for it.

import type { CommanderError } from "commander";
import { type ErrorCode, traitsOf } from "../base/error-codes.ts";
import { isTuttiError, messageOf } from "../base/errors.ts";
import { sanitise, toJson } from "./terminal/sanitise.ts";

interface Streams {
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
}

export function reportError(
  error: unknown,
  isJson: boolean,
  io: Streams & { env: NodeJS.ProcessEnv },
): number {
  const { code, message } = describe(error);
  const { exitCode, remedy } = traitsOf(code);
  if (isJson) io.stdout.write(`${toJson({ error: { code, message } })}\n`);
  else io.stderr.write(`tutti: ${sanitise(message)}\n${remedy && `  ${remedy}\n`}`);
  if (io.env.TUTTI_DEBUG === "1" && error instanceof Error) io.stderr.write(`${stackOf(error)}\n`);
  return exitCode;
}

function describe(error: unknown): { code: ErrorCode; message: string } {
  if (isTuttiError(error)) return error;
  if (isCommanderError(error) && error.code === "commander.help")
    return { code: "usage", message: "there is no such verb. See: tutti --help" };
  if (isCommanderError(error)) return { code: "usage", message: fromCommander(error.message) };
  const text = messageOf(error);
  const line = text.split("\n")[0] || "no message";
  const message = `unexpected error: ${line} (run it again with TUTTI_DEBUG=1 to see where it comes from)`;
  return { code: "unexpected", message };
}

/** Told by its code, so that commander need not be loaded for it. */
function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith("commander.");
}

/** "error: unknown option '--jsn'\n(Did you mean --json?)" in our own way: unknown option "--jsn". Did you mean "--json"? */
function fromCommander(message: string): string {
  return message
    .trim()
    .replace(/^error: /, "")
    .replace(/^(unknown (?:command|option)) '([^']*)'/, '$1 "$2"')
    .replace(/\n\(Did you mean one of (.*)\?\)$/s, ". Did you mean one of $1?")
    .replace(/\n\(Did you mean (\S+)\?\)$/s, '. Did you mean "$1"?');
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by: ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
