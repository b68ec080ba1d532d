import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { claimFile, isClaimed } from "./claim-file.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tutti-claim-"));
  file = join(folder, "lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const busy = () => new TuttiError("cache-active", "somebody else has it");
const claimOf = (pid: number, host = hostname()) => JSON.stringify({ pid, host });

it("is held until it is given back, and leaves nothing behind", () => {
  const release = claimFile(file, busy);
  expect(isClaimed(file)).toBe(true);
  expect(readFileSync(file, "utf8")).toBe(claimOf(process.pid));
  expect(() => claimFile(file, busy)).toThrow("somebody else has it");
  expect(existsSync(file)).toBe(true);
  release();
  expect(isClaimed(file)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

it("a release that comes twice does not end the claim of whoever came after", () => {
  const first = claimFile(file, busy);
  first();
  const second = claimFile(file, busy);
  first();
  expect(isClaimed(file)).toBe(true);
  second();
  expect(isClaimed(file)).toBe(false);
});

it("a living process keeps it; when that is dead it is taken over", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  writeFileSync(file, claimOf(child.pid!));
  expect(() => claimFile(file, busy)).toThrow(TuttiError);
  expect(isClaimed(file)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isClaimed(file)).toBe(false);
  claimFile(file, busy)();
});

it("another host's is never taken over, half a claim and one's own number from before always", () => {
  writeFileSync(file, claimOf(process.pid, "elsewhere"));
  expect(() => claimFile(file, busy)).toThrow(TuttiError);
  expect(readFileSync(file, "utf8")).toContain("elsewhere");
  writeFileSync(file, '{"pid":');
  claimFile(file, busy)();
  writeFileSync(file, claimOf(process.pid));
  claimFile(file, busy)();
  expect(readdirSync(folder)).toEqual([]);
});
