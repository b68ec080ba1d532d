import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, describe, expect, it } from "vitest";
import { createHome, runTutti } from "../../testing/command.ts";

describe("tutti runs export", () => {
  let home: string;
  const tutti = (...args: string[]) => runTutti(["runs", "export", ...args], { env: { TUTTI_HOME: home } });
  beforeAll(async () => {
    home = createHome();
    for (const question of ["What is 6 * 7?", "What is 17 * 23?"])
      expect(await runTutti(["ask", question], { env: { TUTTI_HOME: home } })).toMatchObject({ code: 0 });
  });

  it("writes lines of JSON to standard output", async () => {
    const { code, stdout, stderr } = await tutti("--jsonl");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows).toMatchObject([
      { question: "What is 17 * 23?" },
      { question: "What is 6 * 7?", simulated: true },
    ]);
    expect(Date.parse(rows[0].started_at)).toBeGreaterThan(Date.parse("2026-01-01"));
  });

  it("writes a Parquet file that is there in full or not at all", async () => {
    const out = join(home, "runs.parquet");
    const { code, stdout, stderr } = await tutti("--parquet", "--out", out);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain("2 runs written");
    const rows = await parquetReadObjects({ file: new Uint8Array(readFileSync(out)).buffer });
    expect(rows.map(({ question }) => question)).toEqual(["What is 17 * 23?", "What is 6 * 7?"]);
    expect(await tutti("--parquet", "--out", join(home, "nowhere", "runs.parquet"))).toMatchObject({
      code: 1,
    });
  });

  it("takes only what began in a time, and says what is wrong with one", async () => {
    expect((await tutti("--jsonl", "--until", "2020-01-01")).stdout).toBe("");
    for (const [args, about] of [
      [["--jsonl", "--since", "yesterday"], /2026-11-01.*"yesterday"/],
      [["--jsonl", "--since", "2026-11-02", "--until", "2026-11-01"], /later/],
      [[], /--jsonl.*--parquet/],
      [["--jsonl", "--parquet"], /--jsonl.*--parquet/],
    ] as const) {
      const { code, stderr } = await tutti(...args);
      expect(code).toBe(2);
      expect(stderr).toMatch(about);
    }
  });
});
