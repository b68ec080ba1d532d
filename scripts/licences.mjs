// node scripts/licences.mjs [--list]: the licences of everything that is shipped; fails where one is not on the list of
// scripts/release/licence.mjs. A part of npm run check.
import { fileURLToPath } from "node:url";
import { readShipped } from "./release/artefacts.mjs";
import { problemsOfLicences, toLicenceList } from "./release/licence.mjs";

const { packages } = readShipped(fileURLToPath(new URL("..", import.meta.url))).shipped;
const problems = problemsOfLicences(packages);
if (process.argv.includes("--list")) process.stdout.write(toLicenceList(packages));
if (problems.length > 0) {
  console.error(
    `${problems.join("\n")}\nDecide, and add it to scripts/release/licence.mjs or take the package out.`,
  );
  process.exit(1);
}
