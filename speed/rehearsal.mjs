// How fast the simulated world is with its delays off: bare asks, and whole runs of the scripted planner
// through the performer with the memory store. The peer is reading a problem, which both include.
// Run: npm run build && node speed/rehearsal.mjs
import { createTutti } from "../dist/index.js";
import { createRehearsalPool } from "../dist/rehearsal/pool.js";
import { generateProblems, readProblem } from "../dist/rehearsal/questions.js";

const problems = generateProblems({ count: 300, seed: "speed" });
const pool = createRehearsalPool({ delayScale: 0 });
const signal = new AbortController().signal;

async function perSecond(count, work) {
  for (let i = 0; i < count / 10; i++) await work(i);
  const started = performance.now();
  for (let i = 0; i < count; i++) await work(i);
  return count / ((performance.now() - started) / 1000);
}
const questionOf = (i) => problems[i % problems.length].question;
const ask = async (i) => {
  const messages = [{ role: "user", content: questionOf(i) }];
  const { worker } = pool.members[i % pool.members.length];
  for await (const _ of worker.ask({ messages, maxOutputTokens: 1000, seed: i }, signal));
};
const tutti = createTutti({ store: "memory" }, { env: { TUTTI_REHEARSAL_DELAY: "0" } });
const run = (i) => tutti.ask(questionOf(i), { pool: "rehearsal", seed: i });

const show = (name, rate) =>
  console.log(`${name.padEnd(34)} ${Math.round(rate).toLocaleString("en").padStart(9)} a second`);
show("problems read", await perSecond(20_000, (i) => readProblem(questionOf(i))));
show("simulated asks", await perSecond(20_000, ask));
show("whole runs of the scripted planner", await perSecond(1_000, run));
await tutti.close();
