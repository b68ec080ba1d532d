import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { createHome, runTutti, startTutti } from "../testing/command.ts";
import { toListenError } from "./serve.ts";

/** The first whole line of standard output. */
function firstLine(child: ReturnType<typeof startTutti>["child"]): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    child.stdout!.on("data", (chunk: string) => {
      text += chunk;
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
  });
}

describe("tutti serve", () => {
  test("tells its address to machines and to people, answers there, and ends by a signal", async () => {
    const { child, finished } = startTutti(["serve", "--port", "0", "--json", "--log", "off"], {
      env: { TUTTI_HOME: createHome() },
    });
    const { url, isOpen } = JSON.parse(await firstLine(child));
    expect(isOpen).toBe(true);
    const models = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toContain("tutti");
    child.kill("SIGINT");
    const { code, stderr } = await finished;
    expect(code).toBe(0);
    expect(stderr).toContain(`listens on ${url}`);
    expect(stderr).toContain(`base URL ${url}/v1, model "tutti"`);
    expect(stderr).toContain("No keys are defined");
    expect(stderr).toContain("Finishing what is running");
  });

  test("a port that is taken is told in one line, with one that may be free", async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
    );
    const { code, stdout, stderr } = await runTutti(["serve", "--port", String(port)]);
    server.close();
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`Port ${port} is taken. Choose another one: tutti serve --port ${port + 1}`);
  });

  test.each([
    [["--port", "70000"], "--port must be a whole number from 0 to 65535"],
    [["--log", "loud"], "--log must be info, warn, error or off"],
    [["--config", "none.yaml"], "There is no config file none.yaml"],
  ])("%j is refused before anything starts", async (args, message) => {
    const { code, stderr } = await runTutti(["serve", ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

test("errors of listening become errors of ours, others stay what they are", () => {
  const at = { port: 80, host: "nowhere" };
  const codeOf = (code: string) =>
    (toListenError(Object.assign(new Error(), { code }), at, "tutti serve") as Error & { code: string }).code;
  expect(["EADDRINUSE", "EACCES", "EADDRNOTAVAIL", "ENOTFOUND"].map(codeOf)).toEqual([
    "port-taken",
    "port-refused",
    "no-interface",
    "no-interface",
  ]);
  const other = new Error("something else");
  expect(toListenError(other, at, "tutti serve")).toBe(other);
});
