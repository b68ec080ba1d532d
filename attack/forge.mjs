// Programs that do not solve their task and want the grade all the same. Grades are rewards: each forged one would be
// learned.
import { loadTable } from "./tables/load.mjs";
import { runPrograms } from "./tools/programs.mjs";

const EACH_MS = 20_000;

export default { name: "forge", what: "get a grade without solving the task", tries: 40, run };

async function run() {
  const { toForgingTries } = await loadTable("forged-grades");
  const all = toForgingTries();
  const forged = all.filter(({ isHonest }) => !isHonest);
  const results = await runPrograms("forge", all.length, EACH_MS);
  const problems = all.flatMap(({ name, isHonest }, at) => {
    const { isHung, score, why = "", ungraded } = results[at];
    if (isHung) return [`${name}: the grader hung or died ${why}`.trim()];
    if (!isHonest && score > 0) return [`${name}: graded ${score}`];
    if (isHonest && score !== 1 && !ungraded) return [`${name}: right, and graded ${score} (${why})`];
    return [];
  });
  const ungraded = results.filter((each) => each.ungraded).length;
  return {
    tries: forged.length,
    ok: problems.length === 0,
    result:
      `${problems.length} of ${forged.length} forged; ${all.length - forged.length} honest ones graded` +
      (ungraded > 0 ? `; ${ungraded} could not be graded here (no sandbox)` : "") +
      (problems.length > 0 ? `; first: ${problems[0]}` : ""),
    details: { problems },
  };
}
