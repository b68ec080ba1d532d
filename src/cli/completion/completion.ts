// `tutti completion`: a script for the shell, made from the tree of verbs and flags.

import type { Command } from "commander";
import { oneOf } from "../options.ts";
import { SHELLS, toScript } from "./scripts.ts";
import { toVerbWords } from "./tree.ts";

export function define(command: Command): void {
  command
    .argument("<shell>", SHELLS.join(", "))
    .option("--json", "the verbs, flags and values as JSON on standard output, for other shells")
    .addHelpText(
      "after",
      `
Examples:
  $ source <(tutti completion bash)          # for this shell; for all of them, in ~/.bashrc
  $ source <(tutti completion zsh)           # the same in ~/.zshrc
  $ tutti completion fish > ~/.config/fish/completions/tutti.fish`,
    )
    .action((shell: string, { json = false }: { json?: boolean }) => {
      const known = oneOf("the shell", SHELLS)(shell);
      const tree = toVerbWords(command.parent!);
      process.stdout.write(json ? `${JSON.stringify(tree)}\n` : toScript(known, tree));
    });
}
