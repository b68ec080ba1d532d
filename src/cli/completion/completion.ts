// `tutti completion`: a script for the shell, made from the tree of verbs and flags.

import type { Command } from "commander";
import { isTuttiError, usageError } from "../../base/errors.ts";
import type { FoundConfig } from "../../config/load.ts";
import { oneOf } from "../options.ts";
import { SHELLS, toScript } from "./scripts.ts";
import { toVerbWords } from "./tree.ts";

interface CompletionFlags {
  json?: boolean;
  pools?: boolean;
}

/**
 * Shells expand the words that they complete with, so only names that mean nothing to a shell are given. A config that is
 * wrong or not trusted has none: a key press must neither run it nor complain.
 */
async function findPools(): Promise<string[]> {
  const [{ loadConfig }, { isTrusted }] = await Promise.all([
    import("../../config/load.ts"),
    import("../../config/trust/trusted-files.ts"),
  ]);
  const approve = async (found: FoundConfig) => {
    if (found.reasons.length > 0 && !(await isTrusted(found, process.env)))
      throw usageError("the config of this folder is not trusted");
  };
  try {
    const { config } = await loadConfig({ cwd: process.cwd(), env: process.env, approve });
    return ["rehearsal", ...Object.keys(config.pools)].filter((name) => /^\w[\w.-]*$/.test(name));
  } catch (error) {
    if (!isTuttiError(error)) throw error;
    return ["rehearsal"];
  }
}

export function define(command: Command): void {
  command
    .argument("[shell]", SHELLS.join(", "))
    .option("--pools", "print what --pool takes in this folder, one name a line: the scripts ask for it")
    .option("--json", "the verbs, flags and values as JSON on standard output, for other shells")
    .addHelpText(
      "after",
      `
Examples:
  $ source <(tutti completion bash)          # for this shell; for all of them, in ~/.bashrc
  $ source <(tutti completion zsh)           # the same in ~/.zshrc
  $ tutti completion fish > ~/.config/fish/completions/tutti.fish`,
    )
    .action(async (shell: string | undefined, { json = false, pools = false }: CompletionFlags) => {
      if (pools) {
        const names = await findPools();
        return void process.stdout.write(json ? `${JSON.stringify(names)}\n` : `${names.join("\n")}\n`);
      }
      if (shell === undefined) throw usageError(`the shell is missing: ${SHELLS.join(", ")}`);
      const known = oneOf("the shell", SHELLS)(shell);
      const tree = toVerbWords(command.parent!);
      process.stdout.write(json ? `${JSON.stringify(tree)}\n` : toScript(known, tree));
    });
}
