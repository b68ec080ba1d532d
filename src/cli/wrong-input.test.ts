// Every verb with wrong input, as people type it: one line that names what is wrong, exit code 2, nothing on standard
// output, and with --json one document. Real processes, because exit codes are the promise.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runTutti } from "../testing/command.ts";

// All of them start at once: the last ones wait for the machine.
vi.setConfig({ testTimeout: 60_000 });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tutti-wrong-"));
  writeFileSync(join(folder, "bad.jsonl"), '{"prompt": 1}\nnot json\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The command line, and what the one line must name. */
const WRONG: [line: string, names: RegExp][] = [
  ["aks hello", /aks|verb/],
  ["ask", /question/i],
  ["ask hello --budget-usd much", /--budget-usd.*much/],
  ["ask hello --budget-usd -1", /--budget-usd|-1/],
  ["ask hello --rounds 0", /round/i],
  ["ask hello --deadline-ms soon", /--deadline-ms.*soon/],
  ["ask hello --conductor nobody", /nobody/],
  ["ask hello --pool nowhere", /nowhere/],
  ["ask hello --workflow missing.json", /missing\.json/],
  ["ask hello --file missing.png", /missing\.png/],
  ["ask hello --jsn", /--json/],
  ["serve --port 99999", /99999/],
  ["serve --log loud", /loud/],
  ["serve --postgres db.example/team", /--postgres must be an address like postgres:/],
  ["pool check --pool nowhere", /nowhere/],
  ["pool calibrate --tasks missing.jsonl", /missing\.jsonl/],
  ["bench", /--rehearsal|--recording|--tasks/],
  ["bench --rehearsal --conductor nobody", /nobody/],
  ["bench --rehearsal --liars many", /--liars.*many/],
  ["bench --rehearsal --liars 8", /1 to 7 liars.*8/],
  ["bench --rehearsal --liars 2 --liar-kind mean", /--liar-kind.*mean/],
  ["bench --rehearsal --liar-kind crafted", /--liar-kind goes with --liars/],
  ["bench --recording missing --liars 2", /--liars goes with --rehearsal/],
  ["bench --liars 2 headroom --rehearsal", /--liars goes with tutti bench/],
  ["bench --recording missing", /missing/],
  ["bench --fit missing --recording missing", /missing/],
  ["bench --fit there --rehearsal", /--fit goes with --recording/],
  ["bench --fit there --recording here --split-by family", /--fit and --split-by exclude each other/],
  ["bench --fit-set exam --recording here", /--fit-set.*--fit DIR/],
  ["bench --fit-tasks 0 --recording here", /--fit-tasks.*"0"/],
  ["bench --fit-tasks 30 --rehearsal", /--fit-tasks goes with --recording/],
  ["bench headroom --fit there --recording here", /--fit/],
  ["bench compare missing other", /missing/],
  ["record bad.jsonl --out there", /bad\.jsonl/],
  ["train --recording missing", /missing/],
  ["train --rehearsal --rounds 9", /9/],
  ["train --rehearsal --minutes never", /never/],
  ["train quartet", /quartet/],
  ["train trinity --recording missing", /missing/],
  ["train trinity --rehearsal --algorithm guessing", /--algorithm.*guessing/],
  ["train trinity --rehearsal --turns 0", /--turns.*0/],
  ["train trinity --rehearsal --population 1", /--population.*1/],
  ["train trinity --rehearsal --replications none", /--replications.*none/],
  ["train trinity --rehearsal --sigma 0", /--sigma.*0/],
  ["train trinity --rehearsal --diversity-bonus 2", /--diversity-bonus.*2/],
  ["train trinity --rehearsal --turn-bonus much", /--turn-bonus.*much/],
  ["train trinity --rehearsal --width 64", /--width goes with tutti train native/],
  ["train trinity --recording missing --roles", /--roles.*recording/],
  ["train trinity --minutes 1 --iterations 1", /--minutes and --iterations/],
  ["train trinity --resume missing", /missing/],
  ["train --rehearsal --sigma 0.3", /--sigma goes with tutti train trinity/],
  ["train --rehearsal --no-roles", /--no-roles goes with tutti train trinity/],
  ["rl export --engine parchment --out there", /parchment/],
  ["rl serve --port many", /many/],
  ["runs show r_nobody", /r_nobody/],
  ["runs resume r_nobody", /r_nobody/],
  ["runs prune --days soon", /soon/],
  ["keys create", /--name/],
  ["keys create --name a --budget-usd much", /much/],
  ["keys revoke nobody", /nobody/],
];

/** Well said, but what is named is not there or not as it should be: a failure rather than bad usage. */
const MAY_FAIL = /^(runs (show|resume)|keys revoke|record bad)/;

describe("wrong input", () => {
  for (const [line, names] of WRONG)
    it.concurrent(`tutti ${line}`, async () => {
      const { code, stdout, stderr } = await runTutti(line.split(" "), { cwd: folder });
      expect(stdout).toBe("");
      expect(stderr).toMatch(names);
      expect(stderr).toMatch(/^tutti: /m);
      expect(stderr).not.toMatch(/\n\s+at /);
      expect(MAY_FAIL.test(line) ? [1, 2] : [2]).toContain(code);
      const asJson = await runTutti([...line.split(" "), "--json"], { cwd: folder });
      expect(asJson.code).toBe(code);
      expect(JSON.parse(asJson.stdout)).toMatchObject({ error: { message: expect.stringMatching(names) } });
    });
});
