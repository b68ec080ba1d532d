// What every end-to-end test needs: a gateway in a home of its own, for one test or for all of a file, and pages of the
// one browser that watch over themselves: any request to elsewhere, any error of a script and anything the content security policy had to
// stop fails the test that it happened in.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import type { TuttiConfigInput } from "../../src/config/schema.ts";
import { type Gateway, startGateway } from "../../src/gateway/server.ts";
import { browserPath, noBrowser } from "./browser.ts";

export interface Stage {
  /** On the rehearsal, with these settings of the environment. */
  gateway(options?: StageGateway): Promise<StagedGateway>;
  /** The same for all tests of a file: for those that only look. */
  sharedGateway(): Promise<StagedGateway>;
  open(address: string, options?: BrowserContextOptions): Promise<Page>;
}

type StagedGateway = Gateway & { home: string };

interface StageGateway {
  config?: TuttiConfigInput;
  /** How slow the simulated workers are: 1 is as slow as real ones. */
  delay?: number;
}

/** A browser on a busy machine takes its time. */
export const PATIENCE_MS = 90_000;

export const isSkipped = browserPath === undefined;
export const skipReason = isSkipped ? `: ${noBrowser}` : "";

export function useStage(): Stage {
  let browser: Browser | undefined;
  let shared: Promise<StagedGateway> | undefined;
  const closing: (() => unknown)[] = [];
  const problems: string[] = [];
  beforeAll(async () => {
    if (!isSkipped) browser = await chromium.connect(inject("browser"));
  }, PATIENCE_MS);
  afterAll(async () => {
    await browser?.close();
    await (await shared)?.close();
  }, PATIENCE_MS);
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    expect(problems.splice(0)).toEqual([]);
  }, PATIENCE_MS);
  return {
    async gateway(options) {
      const gateway = await start(options);
      closing.push(() => gateway.close());
      return gateway;
    },
    sharedGateway() {
      shared ??= start({ delay: 0 });
      return shared;
    },
    async open(address, options = {}) {
      const context = await browser!.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      closing.push(() => context.close());
      const page = await context.newPage();
      page.setDefaultTimeout(15_000);
      page.on("request", (request) => {
        const url = new URL(request.url());
        if (!["127.0.0.1", ""].includes(url.hostname)) problems.push(`a request to ${url.host}`);
      });
      page.on("pageerror", (error) => problems.push(`a script broke: ${error.message}`));
      page.on("console", (message) => {
        if (/Content Security Policy/i.test(message.text())) problems.push(message.text());
      });
      await page.goto(address);
      return page;
    },
  };
}

async function start({ config = {}, delay = 0.02 }: StageGateway = {}): Promise<StagedGateway> {
  const home = mkdtempSync(join(tmpdir(), "tutti-e2e-"));
  const env = { ...process.env, TUTTI_HOME: home, TUTTI_REHEARSAL_DELAY: String(delay) };
  const gateway = await startGateway({ config, env, cwd: home });
  const close = async () => {
    await gateway.close();
    rmSync(home, { recursive: true, force: true });
  };
  return { ...gateway, home, close };
}

/** Asks as any client does; the id of the run. */
export async function ask(url: string, content: string): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "tutti", messages: [{ role: "user", content }] }),
  });
  return ((await response.json()) as { tutti: { run_id: string } }).tutti.run_id;
}
