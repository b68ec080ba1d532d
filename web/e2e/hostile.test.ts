// A model that writes scripts, pictures and links instead of an answer: all of it is shown, none of it runs, and
// nothing is loaded.

import { describe, expect, it } from "vitest";
import { startTestGateway } from "../../src/testing/gateway/gateway.ts";
import { isSkipped, PATIENCE_MS, skipReason, useStage } from "./stage.ts";

const HOSTILE = [
  "<script>window.hacked = 'script'</script>",
  "<img src=x onerror=\"window.hacked = 'onerror'\">",
  "<svg onload=\"window.hacked = 'svg'\"></svg>",
  "<iframe srcdoc=\"<script>parent.hacked = 'frame'</script>\"></iframe>",
  "[click me](javascript:window.hacked='link')",
  "[data](data:text/html,<script>alert(1)</script>)",
  "![picture](http://elsewhere.example/track.png)",
  '<a href="javascript:window.hacked=1" autofocus onfocus="window.hacked=2">x</a>',
  "<style>body { display: none }</style>",
  "**strong** and `code`",
].join("\n\n");

describe.skipIf(isSkipped)(`a hostile reply${skipReason}`, { timeout: PATIENCE_MS }, () => {
  const stage = useStage();

  it("stays harmless on every page that shows it", async () => {
    const gateway = await startTestGateway({ reply: () => HOSTILE });
    try {
      const page = await stage.open(gateway.url);
      await page.getByLabel("Your question").fill("<img src=x onerror=\"window.hacked = 'question'\">");
      await page.getByRole("button", { name: "Ask", exact: true }).click();
      await page.getByRole("link", { name: "Open the run" }).waitFor();
      await check();
      await page.getByRole("link", { name: "Open the run" }).click();
      await page.getByRole("heading", { name: "Where the time went" }).waitFor();
      await page.locator(".step-node").first().click();
      await check();
      await page.goto(`${gateway.url}/#/runs`);
      await page.locator(".run-table tbody .run-row").first().waitFor();
      await check(false);

      async function check(showsReply = true) {
        if (showsReply) {
          await page.locator(".markdown strong", { hasText: "strong" }).first().waitFor();
          expect(await page.locator(".markdown").first().textContent()).toContain("<script>");
        }
        expect(await page.evaluate(() => (window as { hacked?: unknown }).hacked)).toBeUndefined();
        const made =
          "main img, main iframe, main script, main style, main svg[onload], main [onerror], main [onfocus]";
        expect(await page.locator(made).count()).toBe(0);
        const addresses = await page
          .locator("main a")
          .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
        for (const address of addresses) expect(address).toMatch(/^(#|https?:|mailto:)/);
      }
    } finally {
      await gateway.close();
    }
  });
});
