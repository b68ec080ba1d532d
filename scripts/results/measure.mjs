// Measures claims with the built command and keeps each as a small file in docs/results, its picture in docs/images.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** No command of a claim takes nearly as long; one that hangs ends the measurement. */
const LONGEST_MS = 30 * 60_000;

/** `recorded`: the folder that "recorded/" stands for. */
export function measureClaim(claim, recorded, root) {
  const { name, title, command, note, goals } = claim;
  const place = mkdtempSync(join(tmpdir(), "tutti-results-"));
  try {
    const folders = { recorded, place };
    const measured = runTutti(command, folders, root, "bench");
    const kept = {
      ...{ name, title, note, goals, command },
      ...{ date: new Date().toISOString().slice(0, 10), commit: commitOf(root) },
      ...(Array.isArray(measured) ? fromBench(measured) : fromProtocol(measured)),
      ...(claim.front && { front: measureFront(claim, folders, root) }),
    };
    writeFileSync(join(root, "docs/results", `${name}.json`), `${JSON.stringify(kept, null, 2)}\n`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The picture, and the two numbers people quote. */
function measureFront({ name, front: command, record }, folders, root) {
  // A front is drawn from a recording: the rehearsal is recorded first, which costs nothing.
  if (record) runTutti(record, folders, root);
  const front = runTutti(command, folders, root, "front");
  copyFileSync(join(folders.place, "front/front.svg"), join(root, "docs/images", `front-${name}.svg`));
  const readers = front.curves.filter(({ conductor }) => readsOf(conductor) === "question");
  const reached = readers.flatMap(({ points }) => points);
  return {
    ...{ command, record },
    ...(front.isSimulated && { isSimulated: true }),
    single: {
      name: front.single.name,
      accuracy: round(front.single.accuracy.mean),
      usd: round(front.single.costUsd),
    },
    curves: front.curves.map(({ conductor, sameQuality, sameCost }) => ({
      ...{ name: conductor, reads: readsOf(conductor) },
      ...{ sameQuality: toChosen(sameQuality), sameCost: toChosen(sameCost) },
    })),
    // Whoever reads labels or verdicts reaches them more easily, and is no router.
    unreached: front.singles
      .filter(
        ({ costUsd, accuracy }) =>
          !reached.some(
            (point) => point.costUsd <= costUsd * (1 + 1e-9) && point.accuracy.mean >= accuracy.mean,
          ),
      )
      .map((point) => point.name),
  };
}

function toChosen({ point, difference, costShare }) {
  return { points: rounded(difference), share: rounded(costShare), usd: round(point.costUsd) };
}

/** Where files of src are not committed, the commit alone does not say what was measured. */
function commitOf(root) {
  const git = (...words) => execFileSync("git", words, { cwd: root, encoding: "utf8" }).trim();
  return (
    git("rev-parse", "--short", "HEAD") +
    (git("status", "--porcelain", "--", "src") === "" ? "" : " and changes")
  );
}

/** `out`: the folder that a bench is kept in; a recording names its own. */
function runTutti(command, { recorded, place }, root, out) {
  const toFolder = (word) =>
    word === "recorded/rehearsal" ? join(place, "rehearsal") : word.replace(/^recorded\//, `${recorded}/`);
  const words = command.split(" ").slice(1).map(toFolder);
  const main = join(root, "dist/cli/main.js");
  const ended = spawnSync(
    process.execPath,
    [main, ...words, "--json", ...(out === undefined ? [] : ["--out", join(place, out)])],
    { cwd: place, encoding: "utf8", maxBuffer: 2 ** 28, timeout: LONGEST_MS },
  );
  if (ended.status !== 0)
    throw new Error(
      `${command} ended with ${ended.status ?? ended.signal}:\n${ended.stderr || ended.stdout}`,
    );
  return JSON.parse(ended.stdout);
}

function fromProtocol({ tasks, workers, how, metrics, rows, anchors, anchorNote }) {
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
    rows: results.map(
      ({ conductor, accuracy, low, high, calls, costUsd, costSource, isSimulated, against }) => ({
        ...{ name: conductor, reads: readsOf(conductor), calls: round(calls) },
        figures: { accuracy: rounded({ mean: accuracy, low, high }) },
        against: toAgainst(against),
        usd: isSimulated || costUsd === undefined ? undefined : round(costUsd),
        costSource: isSimulated ? "simulated" : costSource,
      }),
    ),
  };
}

/** The paired difference to the best single worker; of that one itself there is none. */
function toAgainst(against) {
  const single = against.find(({ conductor }) => conductor === "best-single");
  return single && rounded({ mean: single.difference, low: single.low, high: single.high });
}

function readsOf(conductor) {
  if (conductor === "oracle") return "outcome";
  if (conductor.startsWith("lookup-")) return "label";
  if (conductor.startsWith("verified-")) return "verdict";
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
