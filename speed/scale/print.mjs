// The figures of speed/scale.mjs as tables, and as the constants that the model in experiments/scale.mjs is calibrated by.
import { SLOW_STEPS } from "./slow.mjs";
import { AT_ONCE, STEPS } from "./throughput.mjs";

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const of = (results, field) => median(results.map((result) => result[field]));
const show = (value, digits = 1) => (Number.isFinite(value) ? value.toFixed(digits) : "–");

/** Medians over the rounds. The delay of a step is what four more of them add. */
export function toSummary({ one, chain, many }) {
  return {
    oneStepMs: of(one, "p50Ms"),
    chainMs: of(chain, "p50Ms"),
    perStepMs: (of(chain, "p50Ms") - of(one, "p50Ms")) / (STEPS - 1),
    perSecond: of(many, "perSecond"),
    p50Ms: of(many, "p50Ms"),
    p99Ms: of(many, "p99Ms"),
    gatewayCpuMs: of(many, "gatewayCpuMs"),
    postgresCpuMs: of(many, "postgresCpuMs"),
    gatewayCores: of(many, "gatewayCores"),
    postgresCores: of(many, "postgresCores"),
  };
}

export function printThroughput(figures) {
  const rows = Object.entries(figures).map(([name, results]) => {
    const summary = toSummary(results);
    const failures = results.many.flatMap(({ failures = [] }) => failures);
    if (failures.length > 0) console.log(`${name}: FAILED ${JSON.stringify(failures)}`);
    return [
      name,
      {
        "1 step, ms": show(summary.oneStepMs),
        [`${STEPS} steps, ms`]: show(summary.chainMs),
        "ms a step": show(summary.perStepMs, 2),
        [`runs/s, ${AT_ONCE} at once`]: show(summary.perSecond, 0),
        "p99 ms": show(summary.p99Ms, 0),
        "gateway CPU ms/run": show(summary.gatewayCpuMs, 2),
        "Postgres CPU ms/run": show(summary.postgresCpuMs, 2),
        "gateway cores": show(summary.gatewayCores, 2),
        "Postgres cores": show(summary.postgresCores, 2),
      },
    ];
  });
  console.table(Object.fromEntries(rows));
}

export function printBooks(books) {
  console.table(Object.fromEntries(Object.entries(books).map(([name, value]) => [name, show(value, 2)])));
}

export function printSlow(name, { rssMb, ...figures }) {
  const { atOnce, runs, calls, perSecond, addedP50Ms, addedP99Ms, rssMbByThirds, cores, failures } = figures;
  console.log(
    `${name}, ${atOnce} runs of ${SLOW_STEPS} slow steps at once: ${runs} runs (${show(perSecond)} a second, ${calls} calls), ` +
      `added p50 ${show(addedP50Ms)} ms, p99 ${show(addedP99Ms)} ms; RSS ${rssMbByThirds.map((mb) => `${show(mb, 0)} MB`).join(" · ")}; ` +
      `cores: ${Object.entries(cores)
        .map(([who, share]) => `${who} ${show(share, 2)}`)
        .join(", ")}; failures ${JSON.stringify(failures)}`,
  );
}

/** Only what the model reads. */
export function toMeasured({ at, cores, throughput, books, slow }) {
  const rounded = (value) => (typeof value === "number" ? Number(value.toPrecision(4)) : value);
  const all = (object) =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, rounded(value)]));
  const ours = toSummary(throughput["postgres-1"]);
  return {
    what: "Written by node speed/scale.mjs --write; the model in experiments/scale.mjs is calibrated by it",
    at,
    cores,
    steps: STEPS,
    gateway: all({ cpuMsPerRun: ours.gatewayCpuMs }),
    postgres: all({
      cpuMsPerRun: ours.postgresCpuMs,
      walBytesPerRun: books.walBytesPerRun,
      flushesPerRun: books.flushesPerRun,
      transactionsPerRun: books.transactionsPerRun,
      journalBytesPerRun: books.journalBytesPerRun,
      noteBytesPerRun: books.noteBytesPerRun,
      connectionsPerGateway: books.connectionsPerGateway,
    }),
    idle: all({ postgresCpuMsPerSecond: books.idlePostgresCpuMsPerSecond }),
    hotKey: all({ commitMs: books.hotRowCommitMs }),
    throughput: Object.fromEntries(
      Object.entries(throughput).map(([name, results]) => [name, all(toSummary(results))]),
    ),
    slow:
      slow &&
      Object.fromEntries(
        Object.entries(slow).map(([name, { rssMb, cores: busy, rssMbByThirds, ...rest }]) => [
          name,
          { ...all(rest), rssMbByThirds: rssMbByThirds.map(rounded), cores: all(busy) },
        ]),
      ),
  };
}
