// The agents from npm, each pinned and in a folder of its own below the system's temporary folder, where a second run
// finds it again. They are no dependencies of the project: together they take more than a gigabyte.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const INSTALL_MS = 300_000;

/** `{ program }`, or `{ reason }` where it cannot be had here. */
export async function install({ package: name, version, program }) {
  const folder = join(tmpdir(), "tutti-agents", `${program}-${version}`);
  const found = join(folder, "node_modules", ".bin", program);
  try {
    if (!existsSync(join(folder, "ready"))) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
      // Some put their binary into place after the installation.
      const args = ["install", "--no-audit", "--no-fund", "--no-update-notifier", `${name}@${version}`];
      await promisify(execFile)("npm", args, { cwd: folder, timeout: INSTALL_MS });
      writeFileSync(join(folder, "ready"), "");
    }
    const { stdout } = await promisify(execFile)(found, ["--version"], {
      env: { PATH: process.env.PATH, HOME: folder },
      timeout: 60_000,
    });
    if (stdout.includes(version)) return { program: found };
    return { reason: `it says that it is ${stdout.trim().slice(0, 60)}, not ${version}` };
  } catch (error) {
    const [line] = `${error.stderr || error.message}`.trim().split("\n").slice(-1);
    return { reason: `${name}@${version} cannot be installed or started here: ${line.slice(0, 160)}` };
  }
}
