// Programs that try to hold up, fill or leave QuickJS, which is where JavaScript is graded without bubblewrap. Each must
// be over soon after its deadline.
import { loadTable } from "./tables/load.mjs";
import { runPrograms } from "./tools/programs.mjs";

/** Starting a child, on a machine that is busy. */
const GRACE_MS = 4_000;

export default { name: "quickjs", what: "hang, fill or leave QuickJS", tries: 30, run };

async function run() {
  const { HOSTILE_PROGRAMS: programs, HOSTILE_LIMITS: limits } = await loadTable("quickjs-programs");
  const results = await runPrograms("quickjs", programs.length, limits.timeoutMs + GRACE_MS);
  const problems = programs.flatMap(({ name, must }, at) => {
    const { isHung, exit, stdout = "", why } = results[at];
    if (isHung) return [`${name}: hung or died ${why ?? ""}`.trim()];
    if (must === "stopped" && exit === "ok") return [`${name}: was not stopped`];
    if (must === "contained" && stdout.trim() !== "contained") return [`${name}: ${stdout.slice(0, 80)}`];
    return [];
  });
  const slowest = Math.max(...results.map(({ ms }) => ms ?? 0));
  return {
    tries: programs.length,
    ok: problems.length === 0,
    result: `${problems.length} of ${programs.length} had their way; the slowest was over after ${Math.round(slowest)} ms of ${limits.timeoutMs}${problems.length > 0 ? `; first: ${problems[0].slice(0, 120)}` : ""}`,
    details: { problems },
  };
}
