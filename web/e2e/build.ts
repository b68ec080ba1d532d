// Before the tests: builds the dashboard where it is older than its source, so that the browser sees what is there
// now, and starts the one browser that all test files share. Once for all of them: two builds at the same time would
// empty each other's folder.

import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { browserPath, noBrowser, serve } from "./browser.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where the browser is connected to. */
    browser: string;
  }
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (browserPath === undefined) {
    console.warn(noBrowser);
    return undefined;
  }
  build();
  const browser = await serve();
  project.provide("browser", browser.wsEndpoint());
  return () => browser.close();
}

function build(): void {
  const builtAt = statSync(join(ROOT, "dist/web/index.html"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (newestIn(join(ROOT, "web")) < builtAt) return;
  const vite = join(ROOT, "node_modules/.bin/vite");
  const { status } = spawnSync(vite, ["build", "web", "--logLevel", "error"], {
    cwd: ROOT,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("The dashboard could not be built: npx vite build web");
}

function newestIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.includes("e2e"),
  );
  return Math.max(...files.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs));
}
