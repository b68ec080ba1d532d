import { chmodSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { findOnPath } from "./interpreter.ts";

afterEach(() => void vi.unstubAllEnvs());

it("looks past folders of PATH that are not there, lead nowhere or may not be looked into", () => {
  const folder = mkdtempSync(join(tmpdir(), "tutti-path-"));
  const loop = join(folder, "loop");
  symlinkSync(loop, loop);
  const file = join(folder, "file");
  writeFileSync(file, "");
  const program = join(folder, "tool");
  writeFileSync(program, "");
  vi.stubEnv("PATH", [join(folder, "absent"), loop, file, "relative", "", folder].join(delimiter));
  expect(findOnPath("tool")).toEqual([]);
  chmodSync(program, 0o755);
  expect(findOnPath("tool")).toEqual([program]);
});
