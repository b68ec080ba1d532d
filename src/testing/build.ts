// Before the tests: builds dist, so that tests of the command run what is in src now.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export default function build(): void {
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync("npm", ["run", "--silent", "build"], { cwd, stdio: "inherit" });
}
