// How a walk is taken: commands in an empty folder where Tutti is installed, each with the exit code and the words that a
// user would see. A walk that goes astray says at which step, and shows what was said instead.
import { spawn } from "node:child_process";

/** No key or server of the machine takes part, and nothing is left in the home of its user. */
export function toEnvironment(home, more = {}) {
  const { PATH, HOME, npm_config_cache: cache } = process.env;
  return { PATH, HOME, TUTTI_HOME: home, NO_COLOR: "1", ...(cache && { npm_config_cache: cache }), ...more };
}

/** The command's exit code, what it said on both streams, and the seconds of CPU that it and its children took. */
export function perform(command, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const timed = `TIMEFORMAT='cpu %U %S'; time {\n${command}\n}`;
    const child = spawn("bash", ["-c", timed], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        said += text;
      });
    child.on("error", reject);
    child.on("close", (code) => {
      const [line, user = 0, system = 0] = /cpu ([\d.]+) ([\d.]+)\n$/.exec(said) ?? [""];
      resolve({ code, said: said.slice(0, said.length - line.length), cpuSeconds: +user + +system });
    });
  });
}

/** Throws at the first step that goes astray. `steps`: { run, exit = 0, says: RegExp[], never: RegExp[], mostCpuSeconds }. */
export async function take({ name, steps }, place) {
  for (const [number, { run, exit = 0, says = [], never = [], mostCpuSeconds }] of steps.entries()) {
    const { code, said, cpuSeconds } = await perform(run, place);
    const problems = [
      ...(code === exit ? [] : [`it ended with ${code}, not ${exit}`]),
      ...says.filter((pattern) => !pattern.test(said)).map((pattern) => `it does not say ${pattern}`),
      ...(cpuSeconds > mostCpuSeconds ? [`it took ${cpuSeconds} s of CPU, more than ${mostCpuSeconds}`] : []),
      ...never.filter((pattern) => pattern.test(said)).map((pattern) => `it says ${pattern}`),
    ];
    const heading = `${name}, step ${number + 1}: ${run.split("\n")[0]}`;
    if (problems.length > 0) throw new Error(`${heading}\n${problems.join("\n")}\n\n${said}`);
    console.log(`  ✓ ${heading}${mostCpuSeconds ? ` (${cpuSeconds.toFixed(1)} s of CPU)` : ""}`);
  }
}
