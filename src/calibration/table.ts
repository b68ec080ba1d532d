// Calibrations in Postgres, for gateways that share their journal there: what one machine has measured all of them read, within a
// minute (the pool of a gateway is looked up that often). A row is what one folder of recorded replies has come to, so two
// machines that measure on the same tasks do not replace each other's: of a worker the newest measurement counts, as with files.

import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../base/errors.ts";
import { makePrivateFolder } from "../files/private.ts";
import { openConnection, type PostgresConnection } from "../store/postgres/connection.ts";
import { prepareTables } from "../store/postgres/format.ts";
import {
  fromCalibrationText,
  listCalibrations,
  loadCalibration,
  toCalibrationFolder,
  toCalibrationText,
  withEncoder,
} from "./file.ts";
import { isSuperseded, mergeCalibrations } from "./merge.ts";
import type { CalibrationShelf, LoadedCalibrations } from "./shelf.ts";
import type { SavedCalibration } from "./types.ts";

const SCHEMA = "tutti";
/** A question waits for the table so long at the most, and goes by what is known then. */
const LONGEST_MS = 2_000;
const FOLDER_ID = "folder-id";

interface Row {
  name: string;
  folder: string;
  version: number;
  /** Null: known already. */
  json: string | null;
}

interface KnownRow {
  name: string;
  folder: string;
  calibration?: SavedCalibration;
  problem?: string;
}

/** Nothing is asked before the first use. `home`: what was measured there before is taken over by a table that is empty. */
export function createCalibrationTable(
  address: string,
  { home, schema = SCHEMA }: { home: string; schema?: string },
): CalibrationShelf {
  let opening: Promise<PostgresConnection> | undefined;
  /** By version: a row that is saved anew has another one. */
  let known = new Map<number, KnownRow>();
  let hasTakenOver = false;
  let reading: Promise<void> | undefined;

  function open(): Promise<PostgresConnection> {
    opening ??= openTable(address, schema);
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  }

  async function read(): Promise<void> {
    const { name: where, query } = await open();
    const rows = await query<Row>(
      `SELECT name, folder, version, CASE WHEN version = ANY ($1::bigint[]) THEN NULL ELSE json END AS json
       FROM calibrations ORDER BY name, folder`,
      [[...known.keys()]],
    );
    known = new Map(
      rows.map(({ name, folder, version, json }): [number, KnownRow] => {
        const found = known.get(version);
        return [version, found ?? { name, folder, ...parse(`The calibration ${name} in ${where}`, json!) }];
      }),
    );
    if (rows.length > 0 || hasTakenOver) return;
    hasTakenOver = true;
    if (await takeOver()) await read();
  }

  /** One reading at a time. */
  function refresh(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function takeOver(): Promise<boolean> {
    const names = await listCalibrations(home);
    for (const name of names) {
      const calibration = await loadCalibration(home, name).catch(() => undefined);
      if (calibration) await put(name, calibration);
    }
    return names.length > 0;
  }

  async function put(name: string, calibration: SavedCalibration): Promise<void> {
    const text = toCalibrationText(name, calibration);
    const folder = await readFolderId(home);
    const { query } = await open();
    await query(
      `INSERT INTO calibrations VALUES ($1, $2, nextval('calibration_versions'), $3)
       ON CONFLICT (name, folder) DO UPDATE SET version = excluded.version, json = excluded.json`,
      [name, folder, text],
    );
  }

  /** Rows of other folders in which nobody is left whose newest measurement it is. */
  async function removeSuperseded(): Promise<void> {
    await refresh();
    const rows = [...known].flatMap(([version, { calibration }]) =>
      calibration ? [{ version, calibration }] : [],
    );
    const all = rows.map(({ calibration }) => calibration);
    const old = rows.filter(({ calibration }) => isSuperseded(calibration, all));
    if (old.length === 0) return;
    const { query } = await open();
    await query("DELETE FROM calibrations WHERE version = ANY ($1::bigint[])", [
      old.map(({ version }) => version),
    ]);
  }

  return {
    async load(name) {
      await refresh();
      const folder = await readFolderId(home);
      return [...known.values()].find((row) => row.name === name && row.folder === folder)?.calibration;
    },
    async save(name, calibration) {
      await put(name, calibration);
      await removeSuperseded();
      return `${(await open()).name} as ${name}`;
    },
    async loadAll(encoder): Promise<LoadedCalibrations> {
      let failure: string | undefined;
      const timer = new AbortController();
      await Promise.race([
        refresh(),
        delay(LONGEST_MS, undefined, { signal: timer.signal }).then(() => {
          throw new Error(`no answer within ${LONGEST_MS / 1000} s`);
        }),
      ]).catch((error: unknown) => {
        failure = `Calibrations could not be read, so those from before count: ${messageOf(error)}`;
      });
      timer.abort();
      const found = [...known.values()];
      const calibrations = found.flatMap(({ calibration }) => (calibration ? [calibration] : []));
      const problems = [failure, ...found.map(({ problem }) => problem)].filter((text) => text !== undefined);
      return {
        calibration: mergeCalibrations(calibrations.map((each) => withEncoder(each, encoder))),
        problems,
      };
    },
    async close() {
      await reading?.catch(() => {});
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

async function openTable(address: string, schema: string): Promise<PostgresConnection> {
  const connection = await openConnection(address, {
    schema,
    maxConnections: 1,
    patienceMs: LONGEST_MS,
  });
  try {
    await prepareTables(connection, schema);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function parse(where: string, json: string): Pick<KnownRow, "calibration" | "problem"> {
  try {
    return { calibration: fromCalibrationText(where, json) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** Of the recorded replies that lie in this home: made with the first calibration. */
async function readFolderId(home: string): Promise<string> {
  const folder = toCalibrationFolder(home);
  const path = join(folder, FOLDER_ID);
  makePrivateFolder(folder);
  await writeFile(path, `${randomUUID()}\n`, { flag: "wx", mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    },
  );
  return (await readFile(path, "utf8")).trim();
}
