// Tests live beside the source. Provider keys are taken out of the environment before any test runs.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "web/**/*.test.{ts,tsx}", "scripts/**/*.test.mjs"],
    globalSetup: ["src/testing/build.ts", "web/e2e/build.ts"],
    setupFiles: ["src/testing/no-keys.ts"],
    testTimeout: 20_000,
  },
});
