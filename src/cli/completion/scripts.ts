// The tree of verbs as a script for each shell. Words of ours only, and quoted: a script is run by a shell.

import type { VerbWords } from "./tree.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

const POOL = "--pool";
/** Pools are the folder's, so they are asked for when somebody wants them. */
const ASK_POOLS = "completion --pools 2>/dev/null";

export function toScript(shell: Shell, tree: readonly VerbWords[]): string {
  switch (shell) {
    case "bash":
      return toBash(tree);
    case "zsh":
      // zsh runs what bash completes with.
      return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${toBash(tree)}`;
    case "fish":
      return toFish(tree);
  }
}

function toBash(tree: readonly VerbWords[]): string {
  const verbs = tree.map(({ path, verbs }) => `    ${quote(path)}) verbs=${quote(verbs.join(" "))} ;;`);
  const flags = tree.map(
    ({ path, flags }) => `    ${quote(path)}) words=${quote(flags.map(({ name }) => name).join(" "))} ;;`,
  );
  const values = tree.flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map(({ name, values }) => {
        const words = name === POOL ? `"$(echo $(\${COMP_WORDS[0]} ${ASK_POOLS}))"` : quote(values.join(" "));
        return `    ${quote(`${path} ${name}`)}) COMPREPLY=($(compgen -W ${words} -- "$current")); return ;;`;
      }),
  );
  return `# Completion of tutti for bash. Load it: source <(tutti completion bash)
_tutti() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path=tutti verbs="" words="" i
  COMPREPLY=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    case "$path" in
${verbs.join("\n")}
    esac
    if [[ $i -lt $COMP_CWORD && " $verbs " == *" \${COMP_WORDS[i]} "* ]]; then path="$path \${COMP_WORDS[i]}"; fi
  done
  case "$path $previous" in
${values.join("\n")}
  esac
  case "$path" in
${flags.join("\n")}
  esac
  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
  else COMPREPLY=($(compgen -W "$verbs" -- "$current")); fi
}
complete -o default -F _tutti tutti
`;
}

function toFish(tree: readonly VerbWords[]): string {
  const lines = tree.flatMap(({ path, verbs, flags }) => {
    const [, ...names] = path.split(" ");
    const here =
      names.length === 0
        ? "__fish_use_subcommand"
        : names.map((name) => `__fish_seen_subcommand_from ${name}`).join("; and ");
    const summaryOf = (verb: string) => tree.find((each) => each.path === `${path} ${verb}`)?.summary ?? "";
    return [
      ...verbs.map(
        (verb) => `complete -c tutti -f -n ${quote(here)} -a ${verb} -d ${quote(summaryOf(verb))}`,
      ),
      ...flags.map(({ name, summary, takesValue, values }) => {
        const named = name === POOL ? `(tutti ${ASK_POOLS})` : values.join(" ");
        const value = values.length > 0 ? ` -x -a ${quote(named)}` : takesValue ? " -r" : "";
        return `complete -c tutti -n ${quote(here)} -l ${name.replace(/^--/, "")}${value} -d ${quote(summary)}`;
      }),
    ];
  });
  return `# Completion of tutti for fish. Load it: tutti completion fish | source\n${lines.join("\n")}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "'\\''")}'`;
}
