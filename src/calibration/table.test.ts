// What was measured on one machine is read on all that share a Postgres, and nobody's measurements are lost there.

import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { parseConfig } from "../config/problems.ts";
import { createHome } from "../testing/command.ts";
import { canStartPostgres, startPostgres } from "../testing/postgres-server.ts";
import { scriptedWorker } from "../testing/stage.ts";
import { noPostgres, POSTGRES, queryTestPostgres } from "../testing/stores.ts";
import { createPoolFinder } from "../tutti/run-setup.ts";
import { saveCalibration } from "./file.ts";
import type { CalibrationShelf } from "./shelf.ts";
import { createCalibrationTable } from "./table.ts";
import type { Calibration, SavedCalibration } from "./types.ts";

const OLD = "2026-01-01T00:00:00.000Z";
const NEW = "2026-02-01T00:00:00.000Z";
const MINUTE_MS = 60_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0).reverse()) await close();
});

function toSaved(measuredAt: string, table: Record<string, number[]>): SavedCalibration {
  const columns = Object.values(table);
  return {
    workers: Object.keys(table),
    measuredAt: columns.map(() => measuredAt),
    tasks: columns[0]!.map((_, task) => ({ text: `task ${task}` })),
    scores: columns[0]!.map((_, task) => columns.map((column) => column[task])),
    delaysMs: columns.map(() => undefined),
    source: `measured ${measuredAt.slice(0, 10)}`,
  };
}

const newSchema = () => `t_${randomBytes(6).toString("hex")}`;
/** A machine of its own, with a home. */
function machine(schema: string, home = createHome()): CalibrationShelf {
  const shelf = createCalibrationTable(POSTGRES!, { home, schema });
  closing.push(() => shelf.close());
  return shelf;
}
const byWorker = ({ workers, scores }: Calibration = { workers: [], tasks: [], scores: [], source: "" }) =>
  Object.fromEntries(workers.map((id, column) => [id, scores.map((row) => row[column])]));
const rowsOf = async (schema: string) =>
  Number((await queryTestPostgres(schema, "SELECT count(*) AS n FROM calibrations"))[0]!.n);

describe.skipIf(!POSTGRES)(`calibrations of several machines${noPostgres}`, () => {
  it("are one at all of them, and two that measured on the same tasks do not replace each other's", async () => {
    const schema = newSchema();
    const [first, second] = [machine(schema), machine(schema)];
    expect(await second.loadAll()).toEqual({ problems: [], calibration: undefined });
    await first.save("own", toSaved(OLD, { a: [1, 1], b: [0, 0] }));
    await second.save("own", toSaved(NEW, { b: [1, 0], c: [0, 1] }));
    for (const { calibration, problems } of [await first.loadAll(), await second.loadAll()]) {
      expect(problems).toEqual([]);
      expect(byWorker(calibration)).toEqual({ a: [1, 1], b: [1, 0], c: [0, 1] });
    }
    expect((await first.load("own"))!.workers).toEqual(["a", "b"]);
    // Measured anew, a row replaces the one before.
    await first.save("own", toSaved(NEW, { a: [0, 0] }));
    expect(byWorker((await second.loadAll()).calibration)).toEqual({ a: [0, 0], b: [1, 0], c: [0, 1] });
    expect(await rowsOf(schema)).toBe(2);
  });

  it("go when every worker of them was measured again elsewhere", async () => {
    const schema = newSchema();
    await machine(schema).save("own", toSaved(OLD, { a: [1], b: [1] }));
    const second = machine(schema);
    await second.save("own", toSaved(NEW, { a: [0] }));
    expect(await rowsOf(schema)).toBe(2);
    await second.save("own", toSaved(NEW, { a: [0], b: [0] }));
    expect(await rowsOf(schema)).toBe(1);
    expect((await second.loadAll()).calibration!.scores).toEqual([[0, 0]]);
  });

  it("begin with the files of the first machine that looks", async () => {
    const schema = newSchema();
    const [home, late] = [createHome(), createHome()];
    await saveCalibration(home, "own", toSaved(OLD, { a: [1] }));
    await saveCalibration(late, "own", toSaved(OLD, { z: [1] }));
    for (const each of [machine(schema, home), machine(schema, late)])
      expect((await each.loadAll()).calibration!.workers).toEqual(["a"]);
  });

  it("that are damaged are told of and left out, and nothing is asked for twice", async () => {
    const schema = newSchema();
    const shelf = machine(schema);
    await shelf.save("good", toSaved(OLD, { a: [1] }));
    await queryTestPostgres(schema, "INSERT INTO calibrations VALUES ('bad', 'x', 1000, '{}')");
    const { calibration, problems } = await shelf.loadAll();
    expect(calibration!.workers).toEqual(["a"]);
    expect(problems).toEqual([expect.stringMatching(/^The calibration bad in .* is no calibration/)]);
    // What is known by its version is not read again.
    await queryTestPostgres(schema, "UPDATE calibrations SET json = 'torn' WHERE name = 'good'");
    expect((await shelf.loadAll()).calibration!.workers).toEqual(["a"]);
  });

  it("reach a gateway that runs within a minute", async () => {
    const schema = newSchema();
    const config = parseConfig({ workers: [scriptedWorker("a", ""), scriptedWorker("b", "")] });
    const finder = createPoolFinder(config, { TUTTI_HOME: createHome() }, () => {}, {
      calibrations: machine(schema),
    });
    const success = async () => (await finder.find()).pool.members[0]!.profile?.success;
    vi.useFakeTimers({ toFake: ["Date"] });
    expect(await success()).toBeUndefined();
    await machine(schema).save("own", toSaved(OLD, { a: [1, 1], b: [0, 0] }));
    expect(await success()).toBeUndefined();
    vi.setSystemTime(Date.now() + MINUTE_MS);
    expect(await success()).toBeGreaterThan(0.5);
  });

  it("are none where the table cannot be reached, and a question is answered all the same", async () => {
    const shelf = createCalibrationTable("postgres://tutti@127.0.0.1:1/none", { home: createHome() });
    const { calibration, problems } = await shelf.loadAll();
    expect(calibration).toBeUndefined();
    expect(problems).toEqual([expect.stringMatching(/^Calibrations could not be read/)]);
    await shelf.close();
  });
});

describe.skipIf(!canStartPostgres())(`calibrations whose Postgres goes away${noPostgres}`, () => {
  it("count as they were", async () => {
    const server = await startPostgres();
    closing.push(() => server.remove());
    const home = createHome();
    const shelf = createCalibrationTable(server.address, { home });
    closing.push(() => shelf.close());
    await shelf.save("own", toSaved(OLD, { a: [1] }));
    await shelf.loadAll();
    await server.stop();
    const { calibration, problems } = await shelf.loadAll();
    expect(calibration!.workers).toEqual(["a"]);
    expect(problems).toHaveLength(1);
    await server.start();
    writeFileSync(join(home, "calibration", "later.json"), "{");
    expect(await shelf.loadAll()).toMatchObject({ problems: [], calibration: { workers: ["a"] } });
  });
});
