// What is seen on a terminal only: a conversation, a plan that waits for a yes, a run that is stopped and goes on. tmux
// types and looks.
import { captureTerminal } from "../../scripts/terminal/capture.mjs";

const QUESTION = "What is 17 * 23?";
const ENDED = /left with 0/;

/** `typed`: see captureTerminal. Slow enough where something must be seen before it is over. */
const SCREENS = [
  {
    name: "chat",
    command: ["chat", "--pool", "rehearsal"],
    delay: "0",
    typed: [
      [/^› *$/m, QUESTION],
      [/391[\s\S]*run r_\w+/, "What is the capital of France?"],
      [/Paris[\s\S]*run r_\w+/, "/cost"],
      [/2 answers/, { key: "C-d" }],
      [ENDED],
    ],
  },
  {
    name: "ask --plan",
    command: ["ask", "--plan", QUESTION],
    delay: "0",
    typed: [
      [/Estimated cost: [\s\S]*Perform this plan\? yes, no or edit:/, "yes"],
      [/391[\s\S]*left with 0/],
    ],
  },
  {
    name: "Ctrl-C",
    command: ["ask", QUESTION],
    delay: "60",
    typed: [[/Plan by native:rehearsal/, { key: "C-c" }], [/tutti runs resume r_\w+[\s\S]*left with \d+/]],
  },
];

/** Each on a terminal of its own. Throws at the first screen that does not show what it should. */
export async function live({ cwd, env }) {
  for (const { name, command, delay, typed } of SCREENS) {
    const variables = { ...env, TUTTI_REHEARSAL_DELAY: delay };
    try {
      await captureTerminal({ command: ["npx", "tutti", ...command], env: variables, cwd, typed });
    } catch (error) {
      throw new Error(`on a terminal, ${name}: ${error.message}`);
    }
    console.log(`  ✓ on a terminal: ${name}`);
  }
}
