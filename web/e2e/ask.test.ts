// Asking, in a real browser: the graph fills while the team works, a run is opened, found again, and stopped.

import { describe, expect, it } from "vitest";
import { ask, isSkipped, PATIENCE_MS, skipReason, useStage } from "./stage.ts";

const QUESTION =
  "Around a rectangular pool of 35 m by 16 m runs a border 2 m wide. Tiles cost 5 dollars a square metre. What do the tiles for the border cost in dollars?";

describe.skipIf(isSkipped)(`asking in the dashboard${skipReason}`, { timeout: PATIENCE_MS }, () => {
  const stage = useStage();

  it("shows the workflow as a graph that fills in, then the answer, and the run in full", async () => {
    const gateway = await stage.gateway({ delay: 0.4 });
    const page = await stage.open(gateway.url);
    await page.getByLabel("Your question").fill(QUESTION);
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    const nodes = page.locator(".step-node");
    await nodes.first().waitFor();
    const seen = new Set<string>();
    await expect
      .poll(
        async () => {
          const states = await nodes.evaluateAll((all) => all.map((node) => node.className));
          for (const state of states)
            for (const word of ["running", "done"]) if (state.includes(word)) seen.add(word);
          return states.length > 0 && states.every((state) => state.includes("done"));
        },
        { timeout: 20_000, interval: 30 },
      )
      .toBe(true);
    expect([...seen].sort()).toEqual(["done", "running"]);
    await page.getByRole("link", { name: "Open the run" }).click();
    expect(await page.locator(".answer, .markdown").first().textContent()).toMatch(/\d/);
    await page.getByRole("heading", { level: 1 }).filter({ hasText: "rectangular pool" }).waitFor();
    await nodes.first().waitFor();
    await page.getByRole("heading", { name: "Where the time went" }).waitFor();
  });

  it("tells what each worker was told, word for word", async () => {
    const gateway = await stage.sharedGateway();
    const id = await ask(gateway.url, QUESTION);
    const page = await stage.open(`${gateway.url}/#/runs/${id}`);
    await page.locator(".step-node").first().click();
    await page.getByRole("tab", { name: "What it was told" }).click();
    await page.getByText("You are one member of a team of models").first().waitFor();
  });

  it("finds a run among others", async () => {
    const gateway = await stage.gateway({ delay: 0 });
    await ask(gateway.url, "What is the capital of France?");
    await ask(gateway.url, QUESTION);
    const page = await stage.open(`${gateway.url}/#/runs`);
    const rows = page.locator(".run-table tbody .run-row");
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel("Question or answer").fill("capital");
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.first().textContent()).toContain("capital of France");
    await page.getByLabel("Question or answer").fill("no such thing");
    await page.getByRole("heading", { name: "No run is like that" }).waitFor();
  });

  it("stops a run that takes too long", async () => {
    const gateway = await stage.gateway({ delay: 20 });
    const page = await stage.open(gateway.url);
    await page.getByLabel("Your question").fill(QUESTION);
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.locator(".step-node.running").first().waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Ask", exact: true }).waitFor();
    await page.goto(`${gateway.url}/#/runs`);
    await page.locator(".run-table tbody .run-row").filter({ hasText: "stopped" }).waitFor();
  });
});
