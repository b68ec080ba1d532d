// Before the tests: builds dist, so that tests of the command run what is in src now. Errors of types do
// not stop the tests, tsc writes its output all the same: `npm run check` is where types are checked.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export default function build(): void {
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const { status } = spawnSync("npm", ["run", "--silent", "build"], { cwd, stdio: "inherit" });
  if (status !== 0) console.warn("The build had errors: see npm run check.");
}
