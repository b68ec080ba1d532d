import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, it, vi } from "vitest";
import { Router } from "wouter";
import { toRun } from "../../../src/perform/run.ts";
import { fold } from "../../../src/perform/state.ts";
import { toTurnEvents } from "../../../src/testing/belief.ts";
import { json, stubGateway } from "../../../src/testing/web-gateway.ts";
import { rateRun } from "../api.ts";
import { RatingList } from "./rating-list.tsx";
import { RunActions } from "./run-actions.tsx";

afterEach(() => vi.unstubAllGlobals());

const run = toRun(fold(toTurnEvents(["rehearsal/ada", "rehearsal/bo"]))!);

/** The tags of the two, whatever stands between. */
function drawRatings(isRunning: boolean): string[] {
  const markup = renderToStaticMarkup(
    <Router ssrPath="/runs">
      <RunActions run={run} isRunning={isRunning} tool={undefined} onTool={() => {}} />
    </Router>,
  );
  return [...markup.matchAll(/<button[^>]*>(?=(Good|Bad) answer<)/g)].map(([tag]) => tag);
}

it("a run that is over can be rated good or bad, one under way cannot", () => {
  expect(drawRatings(false).map((tag) => tag.includes("disabled"))).toEqual([false, false]);
  expect(drawRatings(true).map((tag) => tag.includes("disabled"))).toEqual([true, true]);
});

it("what was said of a run is shown with it, as text", () => {
  const at = 1_000;
  const feedback = [
    { score: 1, label: "tests-passed", isInferred: true as const, at },
    { score: 0, comment: "<b>wrong file</b>", at: at + 1 },
  ];
  const markup = renderToStaticMarkup(<RatingList feedback={feedback} />);
  expect(markup).toMatch(/good<\/span>.*told by the run itself.*tests-passed/);
  expect(markup).toContain("&lt;b&gt;wrong file&lt;/b&gt;");
  expect(renderToStaticMarkup(<RatingList />)).toBe("");
});

it("the rating is sent as a score of this run", async () => {
  const asked = stubGateway(json(200, {}), json(200, {}));
  await rateRun("r_a/b", 1);
  await rateRun("r_1", 0);
  expect(asked.map(({ method, body }) => [method, body])).toEqual([
    ["POST", { score: 1 }],
    ["POST", { score: 0 }],
  ]);
  expect(new URL(asked[0]!.url).pathname).toMatch(/\/v1\/runs\/r_a%2Fb\/feedback$/);
});
