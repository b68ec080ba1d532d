// `tutti serve`: the gateway, until it is told to end. Lines for people go to standard error, lines for
// machines (one of JSON per request) to standard output.

import type { Command } from "commander";
import { TuttiError } from "../base/errors.ts";
import { oneOf, wholeNumber } from "./options.ts";
import { type PostgresFlag, withAddress } from "./postgres-flag.ts";
import { toOneLine } from "./terminal/sanitise.ts";
import { createStyle } from "./terminal/style.ts";

interface ServeFlags {
  port: number;
  host: string;
  config?: string;
  postgres?: PostgresFlag;
  log: "info" | "warn" | "error" | "off";
  json?: boolean;
}

const PORT = 7878;

export function define(command: Command): void {
  command
    .option("--port <n>", "port to listen on; 0 takes a free one", wholeNumber("--port", 0, 65_535), PORT)
    .option("--host <address>", "address to listen on; any but this machine's own needs a key", "127.0.0.1")
    .option("--config <file>", "the config file, instead of tutti.config.{ts,js,yaml,json}")
    .option(
      "--postgres [url]",
      "keeps the journal in Postgres, for several gateways at once; without an address that of TUTTI_POSTGRES_URL",
    )
    .option(
      "--log <level>",
      "what to log, as JSON lines: info, warn, error or off",
      oneOf("--log", ["info", "warn", "error", "off"] as const),
      "info" as const,
    )
    .option("--json", "print the address as one line of JSON before the log")
    .addHelpText(
      "after",
      '\nExamples:\n  $ tutti serve\n  $ tutti keys create --name team --budget-usd 50 --window month\n  $ tutti serve --host 0.0.0.0 --port 8080\n\nThen open http://127.0.0.1:7878 in a browser, or point any OpenAI client to http://127.0.0.1:7878/v1 and ask\nfor the model "tutti".',
    )
    .action(serve);
}

async function serve(flags: ServeFlags): Promise<void> {
  const [{ openConfig }, { startGateway }, { createLog }] = await Promise.all([
    import("./open-config.ts"),
    import("../gateway/server.ts"),
    import("../http/log.ts"),
  ]);
  const { config: read } = await openConfig({ file: flags.config });
  const config = flags.postgres === undefined ? read : { ...read, store: "postgres" };
  const style = createStyle(process.stderr, process.env);
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  const gateway = await startGateway({
    config,
    configFile: flags.config,
    env: withAddress(process.env, flags.postgres),
    port: flags.port,
    host: flags.host,
    log: createLog({ write: (line) => void process.stdout.write(line), level: flags.log }),
    onNotice: (text) => say(style.yellow(toOneLine(text))),
  }).catch((error: unknown) => {
    throw toListenError(error, flags, "tutti serve");
  });
  if (flags.json) process.stdout.write(`${JSON.stringify({ url: gateway.url, isOpen: gateway.isOpen })}\n`);
  say(`${style.bold("Tutti")} listens on ${gateway.url}`);
  say(`  Dashboard          ${gateway.url}/`);
  say(`  OpenAI clients     base URL ${gateway.url}/v1, model "tutti"`);
  say(`  Anthropic clients  base URL ${gateway.url}, model "tutti"`);
  if (gateway.isOpen)
    say(style.yellow("  No keys are defined: open to every program on this machine, and to no other."));
  say(style.dim("  Ctrl-C ends it; running work is finished first, a second Ctrl-C does not wait."));
  await untilEnded(
    () => {},
    say,
    () => gateway.close(),
  );
}

/** Until a signal comes. A second one ends at once: the journal has what was paid for. */
export async function untilEnded(
  onSignal: () => void,
  say: (text: string) => void,
  close: () => Promise<void>,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
      resolve();
    };
    process.once("SIGINT", end).once("SIGTERM", end);
  });
  onSignal();
  say("Finishing what is running…");
  await close();
}

/** What a server that cannot listen says: `command` is how it was started. */
export function toListenError(
  error: unknown,
  { port, host }: { port: number; host: string },
  command: string,
): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE": {
      const remedy = `Choose another one: ${command} --port ${port + 1}`;
      return new TuttiError("port-taken", `Port ${port} is taken. ${remedy}`);
    }
    case "EACCES":
      return new TuttiError(
        "port-refused",
        `This user may not listen on port ${port}. Choose one above 1023.`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new TuttiError(
        "no-interface",
        `This machine has no interface "${host}". Try 127.0.0.1 or 0.0.0.0.`,
      );
    default:
      return error;
  }
}
