// The load of speed/gateway-load.mjs, for a few seconds: clients that leave, a provider that fails, garbage. The same
// script does the whole of it, and judges memory too, which needs longer than a test may take.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const LOAD = fileURLToPath(new URL("../../speed/gateway-load.mjs", import.meta.url));

function runLoad(...args: string[]): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [LOAD, ...args], { timeout: 150_000 }, (error, stdout, stderr) => {
      resolve({ code: error ? 1 : 0, said: `${stdout}${stderr}` });
    });
  });
}

it("mixed load with faults on both sides: everybody is answered, every finished step is in the journal", async () => {
  const { code, said } = await runLoad("--seconds", "5", "--garbage", "0", "--seed", "2");
  expect(said).toContain("All is well.");
  expect(said).toMatch(/journal: \d{2,} runs, \d{2,} finished steps, 0 that differ/);
  expect(code).toBe(0);
}, 180_000);

it("2,000 requests of garbage: each is refused, and the process lives", async () => {
  const { code, said } = await runLoad("--seconds", "0", "--garbage", "2000", "--seed", "3");
  expect(said).toContain("All is well.");
  expect(said).not.toMatch(/"5\d\d":/);
  expect(code).toBe(0);
}, 180_000);
