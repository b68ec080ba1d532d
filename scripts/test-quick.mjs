// npm run test:quick [-- FOLDER …]: the tests of the rooms that a change touches, or of the folders that are named.
// A room is a folder of src/ (web/src counts as one). What is left out is said; `npm test` runs everything.
import { execFileSync, spawnSync } from "node:child_process";
import { createJiti } from "jiti";

const { SLOW_FILES } = await createJiti(import.meta.url).import("../src/testing/slow-first.ts");

const git = (...args) => execFileSync("git", args, { encoding: "utf8" }).split("\n").filter(Boolean);

/** What differs from main; on main itself what differs from the last commit, or what that commit changed. */
function changedFiles() {
  const untracked = git("ls-files", "--others", "--exclude-standard");
  const [head] = git("rev-parse", "HEAD");
  let base = head;
  try {
    [base] = git("merge-base", "HEAD", "main");
  } catch {
    // A clone without a branch called main: the working tree alone counts.
  }
  const changed = [...git("diff", "--name-only", base), ...untracked];
  return changed.length > 0 ? changed : git("show", "--name-only", "--format=", "HEAD");
}

const roomOf = (file) => /^(src\/[^/]+|web\/src)\//.exec(file)?.[1];
const named = process.argv.slice(2);
const rooms = named.length > 0 ? named : [...new Set(changedFiles().map(roomOf).filter(Boolean))].sort();
if (rooms.length === 0) {
  console.log(
    "No room of src/ or web/src is touched: nothing to test. Name a folder to test it all the same.",
  );
  process.exit(0);
}
const left = SLOW_FILES.filter(({ isInQuick }) => !isInQuick).map(({ file }) => file);
console.log(
  `Tests of ${rooms.join(", ")}. Left out: ${left.join(", ")}, and the rooms that use these. npm test runs all.`,
);
const filters = rooms.map((room) => (room.endsWith(".ts") ? room : `${room.replace(/\/$/, "")}/`));
const { status } = spawnSync(
  "npx",
  [
    "vitest",
    "run",
    "--project",
    "node",
    "--passWithNoTests",
    ...left.flatMap((file) => ["--exclude", file]),
    ...filters,
  ],
  { stdio: "inherit" },
);
process.exit(status ?? 1);
