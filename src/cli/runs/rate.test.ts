import { expect, it } from "vitest";
import { createHome, runTutti } from "../../testing/command.ts";

it("tutti runs rate says how good a run was, and refuses what is no score", async () => {
  const home = createHome();
  const env = { TUTTI_HOME: home, TUTTI_REHEARSAL_DELAY: "0" };
  const run = (...args: string[]) => runTutti(args, { cwd: home, env });
  const asked = await run("ask", "What is 17 × 23?", "--pool", "rehearsal", "--json");
  const { id } = JSON.parse(asked.stdout) as { id: string };
  expect(await run("runs", "rate", id.slice(0, 12), "up")).toMatchObject({
    ...{ code: 0, stdout: `Rated ${id}: 1.\n` },
  });
  const said = await run("runs", "rate", id, "0.25", "--label", "slow", "--comment", "Right.", "--json");
  expect(JSON.parse(said.stdout)).toMatchObject({
    run: id,
    feedback: [{ score: 1 }, { score: 0.25, label: "slow", comment: "Right." }],
  });
  for (const wrong of ["good", "2", ""])
    expect(await run("runs", "rate", id, wrong), wrong).toMatchObject({ code: 2, stdout: "" });
  expect((await run("runs", "rate", "r_none", "up")).code).toBe(1);
}, 120_000);
