import { afterEach, describe, expect, test, vi } from "vitest";
import { openEngine, toInstallCommand } from "./engine.ts";

afterEach(() => vi.doUnmock("./engine-node.ts"));

test("without the engine, training says what is missing and how to get it", async () => {
  vi.doMock("./engine-node.ts", () => ({
    openNodeEngine() {
      throw new Error("no binary for this machine\nat somewhere");
    },
  }));
  await expect(openEngine()).rejects.toMatchObject({
    code: "no-engine",
    message: expect.stringMatching(
      /^Training the native Conductor needs onnxruntime-node, which cannot be used here \(.+\): no binary for this machine\. Install it with: npm install /,
    ),
  });
});

describe("the command that installs it is for the way the package was installed", () => {
  const inProject = (path: string) => !path.startsWith("/usr");
  test.each([
    ["a clone", "/home/ada/tutti", "npm install --prefix /home/ada/tutti"],
    [
      "this project",
      `${process.cwd()}/node_modules/tutti`,
      "npm install onnxruntime-node@1.30.0 --ignore-scripts",
    ],
    [
      "another project",
      "/home/ada/my work/node_modules/tutti",
      'npm install --prefix "/home/ada/my work" onnxruntime-node@1.30.0 --ignore-scripts',
    ],
    [
      "globally",
      "/usr/lib/node_modules/tutti",
      "npm install --global onnxruntime-node@1.30.0 --ignore-scripts",
    ],
    [
      "by npx",
      "/home/ada/.npm/_npx/0f1e/node_modules/tutti",
      "npm install tutti onnxruntime-node@1.30.0 --ignore-scripts (in a folder of its own, then npx tutti train there)",
    ],
  ])("%s", (_, root, command) => {
    expect(toInstallCommand(root, inProject)).toBe(command);
  });
});
