// Tests live beside the source. Two projects: `node` is everything that needs Node alone, `browser` drives the
// dashboard in a real Chromium. Provider keys are taken out of the environment before any test runs.
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { SlowFirst } from "./src/testing/slow-first.ts";

const shared = {
  setupFiles: ["src/testing/no-keys.ts"],
  // Nobody waits for them where all is well: they are for a machine that has much else to do.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
};

export default defineConfig({
  test: {
    // Vitest leaves a core free, which on two cores is half of them. Most tests wait for processes and sockets;
    // above six workers they only wait for each other.
    maxWorkers: Math.min(6, Math.max(2, availableParallelism() - 1)),
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        test: {
          ...shared,
          name: "node",
          include: [
            "src/**/*.test.ts",
            "fuzz/*.test.ts",
            "web/src/**/*.test.{ts,tsx}",
            "{scripts,attack,faults,deploy,experiments}/**/*.test.mjs",
          ],
          globalSetup: ["src/testing/build.ts", "src/testing/postgres-server.ts"],
        },
      },
      {
        test: {
          ...shared,
          name: "browser",
          include: ["web/e2e/**/*.test.ts"],
          globalSetup: ["web/e2e/build.ts"],
        },
      },
    ],
  },
});
