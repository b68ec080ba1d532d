// The performer's own cost per step, beside the same graph in LangGraph.js, in one process.
// Workers answer at once, so what is left is overhead. Run: npm run build && npm --prefix speed install && node speed/perform.mjs
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { Annotation, END, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createFixedConductor } from "../dist/conductor/fixed.js";
import { performRun } from "../dist/perform/driver.js";
import { CircuitBreaker } from "../dist/perform/retry.js";
import { createMemoryStore } from "../dist/store/memory.js";
import { openSqliteStore } from "../dist/store/sqlite/store.js";

const STEPS = 5;
const RUNS = Number(process.argv[2] ?? 400);
const QUESTION = "What is 6 × 7?";
const REPLY = "The reply of a worker that answers at once. ".repeat(10);

// ---- Tutti: two steps at the same time, then three that each see all before them ------------------
const usage = { inputTokens: 100, outputTokens: 100, cachedInputTokens: 0, reasoningTokens: 0 };
const worker = {
  id: "instant",
  kind: "model",
  async *ask() {
    yield { type: "text-delta", text: REPLY };
    yield { type: "finish", usage, reason: "stop" };
  },
};
const access = [[], [], "all", "all", "all"];
const workflow = { steps: access.map((seen, i) => ({ worker: 0, subtask: `part ${i}`, access: seen })) };
const pool = { members: [{ worker, price: { inputUsd: 1, outputUsd: 2 } }] };
const settings = {
  conductor: { kind: "fixed" },
  conductorReason: "speed",
  rounds: 1,
  maxSteps: 5,
  limits: { usd: 100, calls: 40, deadlineMs: 600_000 },
  seed: 1,
  maxOutputTokens: 4096,
  retries: 2,
  timeouts: { stepMs: 300_000, firstTokenMs: 120_000, idleMs: 60_000 },
  maxDepth: 0,
  streaming: false,
  review: false,
  allowUnknownPrice: false,
};
let number = 0;

async function tutti(store) {
  const state = await performRun(
    {
      type: "run-start",
      runId: `r_${number++}`,
      at: Date.now(),
      task: { messages: [{ role: "user", content: QUESTION }] },
      pool: [{ id: "instant", kind: "model", price: { inputUsd: 1, outputUsd: 2 } }],
      settings,
    },
    {
      store,
      pool,
      conductor: createFixedConductor(workflow),
      breaker: new CircuitBreaker(),
      owner: { id: "speed", pid: process.pid, host: hostname() },
      now: Date.now,
      signal: new AbortController().signal,
    },
  );
  if (state.ended.answer !== REPLY) throw new Error(`wrong answer: ${JSON.stringify(state.ended)}`);
}

// ---- LangGraph: the same five nodes and edges -----------------------------------------------------
function graph(checkpointer) {
  const State = Annotation.Root({
    question: Annotation(),
    replies: Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  });
  const node = async () => ({ replies: [REPLY] });
  const builder = new StateGraph(State);
  for (const name of ["a", "b", "c", "d", "e"]) builder.addNode(name, node);
  builder.addEdge(START, "a").addEdge(START, "b").addEdge(["a", "b"], "c");
  builder.addEdge("c", "d").addEdge("d", "e").addEdge("e", END);
  return builder.compile(checkpointer && { checkpointer });
}
async function langgraph(app) {
  const result = await app.invoke({ question: QUESTION }, { configurable: { thread_id: `t_${number++}` } });
  if (result.replies.length !== STEPS) throw new Error("wrong replies");
}

// ---- Measuring: in turns, so that both see the same machine ----------------------------------------
async function measure(runs, work) {
  const started = performance.now();
  for (let i = 0; i < runs; i++) await work();
  return ((performance.now() - started) * 1000) / (runs * STEPS);
}
async function compare(name, ours, theirs) {
  // Warm, as a server or a trainer is.
  await measure(300, ours);
  await measure(300, theirs);
  const rounds = [];
  for (let i = 0; i < 5; i++) rounds.push([await measure(RUNS / 5, ours), await measure(RUNS / 5, theirs)]);
  const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
  const [mine, peer] = [0, 1].map((at) => median(rounds.map((round) => round[at])));
  console.log(
    `${name.padEnd(34)} Tutti ${mine.toFixed(1).padStart(7)} µs/step   LangGraph ${peer.toFixed(1).padStart(7)} µs/step   ${(peer / mine).toFixed(1)}× less`,
  );
}

const folder = mkdtempSync(join(tmpdir(), "tutti-speed-"));
const memory = createMemoryStore({ keepEnded: 100 });
const sqlite = await openSqliteStore(join(folder, "journal.db"));
const [plain, inMemory, onDisk] = [
  graph(),
  graph(new MemorySaver()),
  graph(SqliteSaver.fromConnString(join(folder, "langgraph.db"))),
];
await compare(
  "memory store | no checkpoints",
  () => tutti(memory),
  () => langgraph(plain),
);
await compare(
  "memory store | MemorySaver",
  () => tutti(memory),
  () => langgraph(inMemory),
);
await compare(
  "SQLite store | SqliteSaver",
  () => tutti(sqlite),
  () => langgraph(onDisk),
);
await sqlite.close();
rmSync(folder, { recursive: true });
