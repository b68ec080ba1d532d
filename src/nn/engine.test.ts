import { afterEach, describe, expect, test, vi } from "vitest";
import { isTuttiError } from "../base/errors.ts";
import { openEngine } from "./engine.ts";

afterEach(() => {
  vi.doUnmock("./engine-node.ts");
  vi.doUnmock("./engine-web.ts");
});

function takeAway(name: "node" | "web"): void {
  const open = () => {
    throw new Error("no binary for this machine\nat somewhere");
  };
  vi.doMock(`./engine-${name}.ts`, () => ({ openNodeEngine: open, openWebEngine: open }));
}

describe("without the native engine", () => {
  test("plans are made by WebAssembly, and the id says so", async () => {
    takeAway("node");
    expect((await openEngine()).id).toMatch(/^onnxruntime-web \d+\.\d+\.\d+, 1 thread$/);
  });

  test.each([{ kind: "node" as const }, { purpose: "training" as const }])(
    "%o is refused, with the command that installs it",
    async (options) => {
      takeAway("node");
      const error = await openEngine(options).catch((reason: unknown) => reason);
      expect(isTuttiError(error) && error.code).toBe("no-engine");
      expect((error as Error).message).toMatch(
        /^onnxruntime-node cannot be used here \(.+\): no binary for this machine\. Install it with: npm install onnxruntime-node$/,
      );
    },
  );
});

test("without any engine the other one is named", async () => {
  takeAway("node");
  takeAway("web");
  await expect(openEngine()).rejects.toThrow(/^onnxruntime-web cannot be used here/);
});
