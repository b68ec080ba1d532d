// The workflows of the CI: whoever can move a tag of an action, or send a pull request, must not be able to publish.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const FOLDER = fileURLToPath(new URL("../../.github/workflows/", import.meta.url));
const workflows = readdirSync(FOLDER).map((name) => {
  const text = readFileSync(`${FOLDER}${name}`, "utf8");
  return { file: name, text, ...parse(text) };
});

describe.each(workflows)("the workflow $file", ({ file, text, on, permissions, jobs }) => {
  it("uses actions by the hash of their commit, with the version beside it", () => {
    const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
    expect(used.length).toBeGreaterThan(0);
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it("has a token that can only read, and an identity only where a tag is published", () => {
    expect(permissions).toEqual(file === "release.yml" ? {} : { contents: "read" });
    for (const job of Object.values(jobs)) {
      const granted = Object.entries(job.permissions ?? {}).filter(([, access]) => access === "write");
      expect(granted).toEqual(file === "release.yml" ? [["id-token", "write"]] : []);
    }
    expect(Object.keys(on)).not.toContain("pull_request_target");
    if (file === "release.yml") expect(on).toEqual({ push: { tags: ["v*"] } });
  });

  it("leaves no credentials behind and ends by itself", () => {
    for (const { steps, "timeout-minutes": minutes } of Object.values(jobs)) {
      expect(minutes).toBeGreaterThan(0);
      const checkout = steps.find(({ uses }) => uses?.startsWith("actions/checkout@"));
      expect(checkout.with["persist-credentials"]).toBe(false);
    }
  });
});
