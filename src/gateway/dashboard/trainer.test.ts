import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTrainer } from "./trainer.ts";

it("a training reads the config that the gateway was given by name, and no other that nobody has trusted", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "tutti-trainer-"));
  const marker = join(cwd, "ran.txt");
  const code = `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "ran"); module.exports = {};`;
  writeFileSync(join(cwd, "tutti.config.js"), code);
  const env = { PATH: process.env.PATH, TUTTI_HOME: mkdtempSync(join(tmpdir(), "tutti-home-")) };
  const settings = { iterations: 1, seed: 1, size: "small" } as const;
  await expect(createTrainer({ env, cwd }).start(settings)).rejects.toThrow(
    /tutti\.config\.js was found here, nobody has trusted it/,
  );
  expect(existsSync(marker)).toBe(false);
  const trainer = createTrainer({ env, cwd, configFile: "tutti.config.js" });
  try {
    expect(await trainer.start(settings)).toMatch(/^rehearsal/);
    expect(existsSync(marker)).toBe(true);
  } finally {
    await trainer.close();
  }
}, 60_000);
