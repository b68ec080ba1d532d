// What holds for every page: accessible in light and dark, no sideways scrolling on a phone, nothing from elsewhere
// (stage.ts watches), and any path in front of it.

import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { DiskFolder } from "../../src/bench/folder.ts";
import { openTrainingFolder } from "../../src/learn/folder.ts";
import { toBenchRow } from "../../src/testing/bench-rows.ts";
import { toIteration } from "../../src/testing/learn/train-events.ts";
import { PAGES } from "../src/shell/pages.ts";
import { ask, isSkipped, PATIENCE_MS, skipReason, useStage } from "./stage.ts";

/** Every page of the dashboard, and a run. */
const PATHS = [...PAGES.map(({ path }) => path), "runs/"];

/** A run, a training and a bench, so that no page is empty. */
async function fill(url: string, home: string): Promise<string> {
  const training = openTrainingFolder(join(home, "trainings", "one"));
  training.describe({ world: "made up", isSimulated: true, seed: 3, command: "tutti train", state: "done" });
  for (let i = 0; i < 100; i++) training.append(toIteration(i));
  training.close();
  const bench = new DiskFolder(join(home, "bench", "monday"), { set: "sums", seed: 0 });
  const rows = bench.file("rows");
  for (let i = 0; i < 12; i++)
    for (const [n, name] of ["best-single", "vote-3", "native"].entries())
      rows.append(toBenchRow(name, i, i % 4 < n + 1, { calls: n + 1 }));
  bench.close();
  return ask(url, "What is 17 * 23?");
}

async function settle(page: Page): Promise<void> {
  await page.locator("main h1").first().waitFor();
  await expect.poll(() => page.locator(".loading").count()).toBe(0);
}

/** What is serious; a picture is one thing with a name, so its shapes are left out. */
async function violationsOf(page: Page, rules?: string[]): Promise<string[]> {
  const { violations } = await page.evaluate(
    (runOnly) =>
      (window as unknown as { axe: typeof axe }).axe.run(
        { exclude: [["svg[role=img] > *"]] },
        { resultTypes: ["violations"], ...(runOnly && { runOnly }) },
      ),
    rules,
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

describe.skipIf(isSkipped)(`every page${skipReason}`, { timeout: PATIENCE_MS }, () => {
  const stage = useStage();

  let filled: Promise<string> | undefined;

  it.each(PATHS)("%s has nothing serious for axe to find, light and dark, and fits a phone", async (path) => {
    const gateway = await stage.sharedGateway();
    filled ??= fill(gateway.url, gateway.home);
    const address = path === "runs/" ? path + (await filled) : path;
    await filled;
    const page = await stage.open(`${gateway.url}/#/${address}`, { colorScheme: "light" });
    await settle(page);
    if (path === "runs/") await page.locator(".step-node").first().click();
    if (path === "keys") await page.getByRole("button", { name: "Create a key" }).click();
    // Not as a script of the page: its policy would refuse that, as it should.
    await page.evaluate(axe.source);
    expect(await violationsOf(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    // All else is the same in the dark.
    expect(await violationsOf(page, ["color-contrast"])).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    await expect.poll(fits).toBe(true);
  });

  it("can be reached by keyboard alone", async () => {
    const gateway = await stage.sharedGateway();
    const page = await stage.open(gateway.url);
    await settle(page);
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press("Tab");
      const text = await page.evaluate(() => document.activeElement?.textContent ?? "");
      if (text === "Pool") break;
    }
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Pool", level: 1 }).waitFor();
  });

  it("works behind a path prefix", async () => {
    const gateway = await stage.sharedGateway();
    const prefix = "/some/prefix";
    // As a reverse proxy does it: the path in front is taken off, the rest goes through.
    const proxy = createServer((incoming, outgoing) => {
      if (!incoming.url?.startsWith(`${prefix}/`)) return void outgoing.writeHead(404).end();
      const { method, headers } = incoming;
      const path = incoming.url.slice(prefix.length);
      const upstream = request(
        { port: gateway.port, host: "127.0.0.1", path, method, headers },
        (response) => {
          outgoing.writeHead(response.statusCode!, response.headers);
          response.pipe(outgoing);
        },
      );
      upstream.on("error", () => outgoing.destroy());
      incoming.pipe(upstream);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = proxy.address() as AddressInfo;
      const page = await stage.open(`http://127.0.0.1:${port}${prefix}/#/pool`);
      await page.getByText("rehearsal/violin").first().waitFor();
      await page.getByRole("link", { name: "Ask", exact: true }).click();
      await page.getByLabel("Your question").fill("What is 17 * 23?");
      await page.getByRole("button", { name: "Ask", exact: true }).click();
      await page.getByRole("link", { name: "Open the run" }).click();
      await page.getByRole("heading", { name: "Where the time went" }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`${prefix}/`);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  it("loads less than 300 KB, compressed, before it shows something", async () => {
    const gateway = await stage.sharedGateway();
    const page = await stage.open("about:blank");
    const sizes: Promise<number>[] = [];
    page.on("response", (response) => {
      if (!response.url().includes("/v1/"))
        sizes.push(
          response
            .request()
            .sizes()
            .then(({ responseBodySize }) => responseBodySize),
        );
    });
    await page.goto(gateway.url);
    await settle(page);
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(20_000);
    expect(total).toBeLessThan(300_000);
  });
});
