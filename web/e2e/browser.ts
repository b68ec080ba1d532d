// The real browser of the end-to-end tests. Where there is none the tests are skipped, and say how to get one.

import { existsSync } from "node:fs";
import { type BrowserServer, chromium } from "playwright-core";

const PLACES = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

export const browserPath = PLACES.find((path) => path !== undefined && existsSync(path));

export const noBrowser =
  "No Chromium is installed, so the dashboard is not tested. Install one (apt-get install chromium) or set CHROMIUM_PATH.";

/** Nothing of its own goes to the network: what is left are requests of the page. */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** One for all who connect to it. */
export function serve(): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath: browserPath, args: FLAGS, host: "127.0.0.1" });
}
