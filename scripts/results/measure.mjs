// Measures claims with the built command and keeps each as a small file in docs/results.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** `recorded`: the folder that "recorded/" stands for. */
export function measureClaim(claim, recorded, root) {
  const { name, title, command, note, goal } = claim;
  const folder = mkdtempSync(join(tmpdir(), "tutti-results-"));
  const measured = runTutti([...toWords(command, recorded), "--json", "--out", join(folder, "bench")], root);
  const result = Array.isArray(measured) ? fromBench(measured) : fromProtocol(measured);
  const kept = {
    ...{ name, title, note, goal, command },
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim(),
    ...result,
  };
  writeFileSync(join(root, "docs/results", `${name}.json`), `${JSON.stringify(kept, null, 2)}\n`);
  return kept;
}

/** The picture of the front, where the claim has one. */
export function drawFront({ name, front }, recorded, root) {
  if (front === undefined) return;
  const place = mkdtempSync(join(tmpdir(), "tutti-results-"));
  const folder = join(place, "front");
  const words = ["bench", "front", "--recording", openFront(front, recorded, place, root), "--out", folder];
  runTutti([...words, "--json"], root);
  const picture = join(folder, "front.svg");
  if (existsSync(picture)) copyFileSync(picture, join(root, "docs/images", `front-${name}.svg`));
}

/** A front is drawn from a recording: the rehearsal is recorded first, which costs nothing. */
function openFront(front, recorded, place, root) {
  if (front !== "rehearsal") return front.replace("recorded", recorded);
  const made = join(place, "rehearsal");
  runTutti(["record", "rehearsal", "--pool", "rehearsal", "--limit", "600", "--out", made, "--json"], root);
  return made;
}

function toWords(command, recorded) {
  return command
    .split(" ")
    .slice(1)
    .map((word) => word.replace(/^recorded\//, `${recorded}/`));
}

function runTutti(words, root) {
  const main = join(root, "dist/cli/main.js");
  const { stdout, stderr, status } = spawnSync(process.execPath, [main, ...words], {
    ...{ cwd: tmpdir(), encoding: "utf8", maxBuffer: 2 ** 28 },
  });
  if (status !== 0) throw new Error(`tutti ${words.join(" ")} ended with ${status}:\n${stderr || stdout}`);
  return JSON.parse(stdout);
}

function fromProtocol({ tasks, workers, how, metrics, rows, anchors, anchorNote, recording: _ }) {
  return {
    ...{ tasks, workers: workers.length, how },
    metrics: metrics.map(({ id, title, unit }) => ({ id, title, unit })),
    rows: rows.map(({ router, reads, metrics: figures }) => ({
      ...{ name: router, reads, calls: 1, figures: mapValues(figures, rounded) },
      usd: figures.cost === undefined ? undefined : round(figures.cost.mean / 1_000),
    })),
    ...{ anchors, anchorNote },
  };
}

function fromBench(results) {
  return {
    tasks: results[0].n,
    metrics: [{ id: "accuracy", title: "accuracy", unit: "points" }],
    rows: results.map(({ conductor, accuracy, low, high, calls, costUsd, costSource, isSimulated }) => ({
      ...{ name: conductor, reads: readsOf(conductor), calls: round(calls) },
      figures: { accuracy: rounded({ mean: accuracy, low, high }) },
      usd: isSimulated || costUsd === undefined ? undefined : round(costUsd),
      costSource: isSimulated ? "simulated" : costSource,
    })),
  };
}

function readsOf(conductor) {
  if (conductor === "oracle") return "outcome";
  if (conductor.startsWith("lookup-")) return "label";
  return /^(best-single|single:|random-worker|vote-)/.test(conductor) ? "nothing" : "question";
}

function rounded({ mean, low, high }) {
  return { mean: round(mean), low: round(low), high: round(high) };
}

function round(value) {
  return Number(value.toPrecision(5));
}

function mapValues(object, to) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, to(value)]));
}
