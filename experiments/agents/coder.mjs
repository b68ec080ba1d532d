// The simulated coding model behind the stub provider: no language model, but a script that goes by what it reads. It
// reads a file, runs its test, mends the file, runs the test again and says what it did, with the tools that the agent
// declares. What it has not been shown (a result that was lost, a file that is not in sight) it cannot use: then it
// gives up, and the loop counts as not finished.

/** The task that every agent gets, and what it is about. */
export const FILE = "sum.mjs";
export const TEST = "test.mjs";
export const WRONG = "return a - b;";
export const RIGHT = "return a + b;";
export const PASSED = "all 3 checks passed";
export const TASK = `The test ${TEST} fails. Read ${FILE}, mend it, and run "node ${TEST}" until it passes. Then say in one sentence what was wrong.`;
export const ANSWER = "It subtracted where it should add: mended, and the test passes.";

const FILES = {
  [FILE]: `export function sum(a, b) {\n  ${WRONG}\n}\n`,
  [TEST]: `import { sum } from "./${FILE}";
const wrong = [[1, 2, 3], [0, 0, 0], [-1, 5, 4]].filter(([a, b, total]) => sum(a, b) !== total);
if (wrong.length > 0) { console.log(wrong.length + " of 3 checks failed"); process.exit(1); }
console.log("${PASSED}");
`,
};

/** What the workspace holds before the agent comes. */
export function toFiles() {
  return FILES;
}

/**
 * What each of its tools wants to hear: parameters differ between agents, so the first name that the schema has is taken.
 * A tool that is not there is done by the shell.
 */
const READ = ["Read", "read", "read_file"];
const EDIT = ["Edit", "edit", "replace"];
const SHELL = ["Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command"];

/** The next reply: `{ text, thought }` or `{ text, thought, call: { name, input } }`. */
export function act({ tools, entries, folder }) {
  const said = entries.map(({ text }) => text).join("\n");
  const isPlanning = said.includes("access_list") && said.includes("model_id") && tools.length === 0;
  if (isPlanning) return { text: said.includes(ANSWER) ? ACCEPTED : PLAN };
  if (tools.length === 0 || !said.includes(FILE)) return { text: `${FILE}: read it, then run ${TEST}.` };
  const shell = find(tools, SHELL);
  if (!shell) return { text: "There is no shell among my tools." };
  const results = toResults(entries);
  const steps = [
    () => read(find(tools, READ), shell, folder),
    () => run(shell, `node ${TEST}`),
    () => edit(find(tools, EDIT), shell, folder, results[0].text),
    () => run(shell, `node ${TEST}`),
  ];
  const step = steps[results.length];
  if (step) return { thought: `Step ${results.length + 1} of the loop.`, text: "", ...step() };
  return { text: results[3].text.includes(PASSED) ? ANSWER : "The test still fails; I give up." };
}

/** Two steps: a helper looks, then the worker with the tools does it. */
const PLAN = `model_id = [0, 0]
subtasks = ["Say what is to be looked at first.", "Do what was asked, with the tools."]
access_list = [[], [0]]`;
const ACCEPTED = "model_id = []\nsubtasks = []\naccess_list = []";

/** Results of tools in order, each with the call that it answers. */
function toResults(entries) {
  return entries.filter(({ role }) => role === "tool");
}

function find(tools, names) {
  return tools.find(({ name }) => names.includes(name));
}

function read(tool, shell, folder) {
  if (!tool) return run(shell, `cat ${FILE}`);
  return { call: { name: tool.name, input: fill(tool, { path: `${folder}/${FILE}` }) } };
}

function run(shell, command) {
  return { call: { name: shell.name, input: fill(shell, { command }) } };
}

function edit(tool, shell, folder, seen) {
  if (!seen.includes(WRONG)) return { text: `${FILE} was not shown to me.` };
  if (!tool) return run(shell, `sed -i 's/${WRONG}/${RIGHT}/' ${FILE}`);
  const input = fill(tool, { path: `${folder}/${FILE}`, before: WRONG, after: RIGHT });
  return { call: { name: tool.name, input } };
}

const PARAMETERS = {
  path: ["file_path", "filePath", "absolute_path", "path"],
  command: ["command", "cmd"],
  before: ["old_string", "oldString"],
  after: ["new_string", "newString"],
};

/** The arguments by the schema's own names; what else it requires gets a value of its type. */
function fill({ schema = {} }, values) {
  const properties = schema.properties ?? {};
  const input = {};
  for (const [meaning, value] of Object.entries(values)) {
    const name = PARAMETERS[meaning].find((each) => each in properties) ?? PARAMETERS[meaning][0];
    input[name] = properties[name]?.type === "array" ? ["bash", "-lc", value] : value;
  }
  for (const name of schema.required ?? [])
    input[name] ??=
      properties[name]?.type === "boolean" ? false : properties[name]?.type === "number" ? 1 : "…";
  return input;
}
