// Bare DBOS Transact: workflows of so many steps that do nothing, so many at once, in this process, for so long. Its orders are
// one JSON on the command line, what it saw is one line of JSON.
import { DBOS } from "@dbos-inc/dbos-sdk";

const { address, steps, atOnce, seconds, warmSeconds } = JSON.parse(process.argv[2]);
const silent = () => {};

const workflow = DBOS.registerWorkflow(
  async () => {
    for (let step = 0; step < steps; step++) await DBOS.runStep(async () => "done", { name: `step ${step}` });
    return "done";
  },
  { name: "bare" },
);
DBOS.setConfig({
  name: "bare",
  systemDatabaseUrl: address,
  enableOTLP: false,
  tracingEnabled: false,
  logger: { debug: silent, info: silent, warn: silent, error: console.error },
});
await DBOS.launch();

async function measure(forSeconds) {
  const delaysMs = [];
  const cpu = process.cpuUsage();
  const from = performance.now();
  const until = from + forSeconds * 1000;
  const lane = async () => {
    while (performance.now() < until) {
      const begun = performance.now();
      await (await DBOS.startWorkflow(workflow)()).getResult();
      delaysMs.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const took = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  delaysMs.sort((a, b) => a - b);
  const at = (share) => delaysMs[Math.min(delaysMs.length - 1, Math.floor(delaysMs.length * share))];
  return {
    requests: delaysMs.length,
    perSecond: delaysMs.length / took,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    cores: (user + system) / 1e6 / took,
  };
}

const warm = await measure(warmSeconds);
const figures = await measure(seconds);
console.log(JSON.stringify({ ...figures, allRequests: warm.requests + figures.requests }));
await DBOS.shutdown();
process.exit(0);
