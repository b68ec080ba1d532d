// How a walk is taken: commands in an empty folder where Tutti is installed, each with the exit code and the words that a
// user would see. A walk that goes astray says at which step, and shows what was said instead.
import { spawn } from "node:child_process";

/** No key or server of the machine takes part, and nothing is left in the home of its user. */
export function toEnvironment(home, more = {}) {
  const { PATH, HOME, npm_config_cache: cache } = process.env;
  return { PATH, HOME, TUTTI_HOME: home, NO_COLOR: "1", ...(cache && { npm_config_cache: cache }), ...more };
}

/** The command's exit code, what it said on both streams. */
export function perform(command, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        said += text;
      });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, said }));
  });
}

/** Throws at the first step that goes astray. `steps`: { run, exit = 0, says: RegExp[], never: RegExp[] }. */
export async function take({ name, steps }, place) {
  for (const [number, { run, exit = 0, says = [], never = [] }] of steps.entries()) {
    const { code, said } = await perform(run, place);
    const problems = [
      ...(code === exit ? [] : [`it ended with ${code}, not ${exit}`]),
      ...says.filter((pattern) => !pattern.test(said)).map((pattern) => `it does not say ${pattern}`),
      ...never.filter((pattern) => pattern.test(said)).map((pattern) => `it says ${pattern}`),
    ];
    const heading = `${name}, step ${number + 1}: ${run.split("\n")[0]}`;
    if (problems.length > 0) throw new Error(`${heading}\n${problems.join("\n")}\n\n${said}`);
    console.log(`  ✓ ${heading}`);
  }
}
