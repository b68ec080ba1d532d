// RouteLLM's curve of two workers: quality against the share of calls that go to the strong one.

import { meanOf } from "../../dist/base/statistics.js";

/** APGR by deciles of the router's score, CPT(50 %) and CPT(80 %) by single tasks. */
export function toCurve(tasks, overall) {
  const strong = overall[0] > overall[1] ? 0 : 1;
  const weak = 1 - strong;
  const ordered = tasks
    .map(({ probabilities, scores }) => ({
      wins: probabilities[strong] - probabilities[weak],
      gain: scores[strong] - scores[weak],
    }))
    .sort((a, b) => b.wins - a.wins);
  const whole = ordered.reduce((sum, { gain }) => sum + gain, 0);
  const recovered = [0];
  for (const { gain } of ordered) recovered.push(recovered.at(-1) + gain / whole);
  const at = (share) => recovered[Math.round(share * ordered.length)];
  const apgr = meanOf(Array.from({ length: 10 }, (_, i) => (at(i / 10) + at((i + 1) / 10)) / 2));
  const callsFor = (quality) => (100 * recovered.findIndex((value) => value >= quality)) / ordered.length;
  return { apgr, cpt50: callsFor(0.5), cpt80: callsFor(0.8) };
}
