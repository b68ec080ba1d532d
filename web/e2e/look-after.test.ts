// Looking after a gateway in a real browser: a training whose curves move, keys that are created and revoked.

import { describe, expect, it } from "vitest";
import { isSkipped, PATIENCE_MS, skipReason, useStage } from "./stage.ts";

describe.skipIf(isSkipped)(`looking after a gateway${skipReason}`, { timeout: PATIENCE_MS }, () => {
  const stage = useStage();

  it("trains for a few seconds: the curve moves, and it can be stopped", async () => {
    const gateway = await stage.gateway();
    const page = await stage.open(`${gateway.url}/#/learn`);
    await page.getByRole("heading", { name: "Nobody has trained here yet" }).waitFor();
    await page.getByLabel("Iterations").fill("5");
    await page.getByRole("button", { name: "Start" }).click();
    const done = page.getByTestId("iterations");
    await done.waitFor({ timeout: 60_000 });
    const count = async () => Number.parseInt((await done.textContent()) ?? "", 10);
    await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(2);
    const loss = page.getByRole("img", { name: /^Loss/ });
    const [before, said] = [await loss.screenshot(), await loss.getAttribute("aria-label")];
    await expect.poll(() => loss.getAttribute("aria-label"), { timeout: 60_000 }).not.toBe(said);
    expect((await loss.screenshot()).equals(before)).toBe(false);
    await page.getByRole("button", { name: "Stop the training" }).click();
    await page.locator(".tag", { hasText: "stopped" }).first().waitFor({ timeout: 60_000 });
  }, 120_000);

  it("creates the first key, which closes the gateway, then another one, and revokes it", async () => {
    const gateway = await stage.gateway();
    const page = await stage.open(`${gateway.url}/#/keys`);
    await page.getByRole("heading", { name: "This gateway is open" }).waitFor();
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("me");
    await page.getByRole("button", { name: "Create it and close the gateway" }).click();
    const secret = (await page.getByTestId("secret").textContent())!;
    expect(secret).toMatch(/^sk-tutti-/);
    expect((await fetch(`${gateway.url}/v1/runs`)).status).toBe(401);
    await page.getByRole("button", { name: "I have kept it" }).click();
    await page.getByText("this tab's").waitFor();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("team");
    await page.getByLabel("Budget in dollars").fill("2.50");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const other = await page.getByTestId("secret").textContent();
    await page.getByRole("button", { name: "I have kept it" }).click();
    const row = page.getByRole("row").filter({ hasText: "team" });
    expect(await row.textContent()).toContain("$2.50 a month");
    const use = () => fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${other}` } });
    expect((await use()).status).toBe(200);
    await row.getByRole("button", { name: "Revoke team" }).click();
    await row.getByRole("button", { name: "Revoke it for ever" }).click();
    await row.filter({ hasText: "revoked" }).waitFor();
    expect((await use()).status).toBe(401);
  });

  it("asks for a key where the gateway wants one, in a tab that has none", async () => {
    const gateway = await stage.gateway();
    const response = await fetch(`${gateway.url}/v1/keys`, {
      method: "POST",
      body: JSON.stringify({ name: "me" }),
    });
    const { secret } = (await response.json()) as { secret: string };
    const page = await stage.open(`${gateway.url}/#/pool`);
    await page.getByLabel("API key").fill(secret);
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("rehearsal/violin").first().waitFor();
  });
});
