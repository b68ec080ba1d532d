// The gateway as people start it, with its journal on disk, before the given upstream. Prints its address.
// Its Conductor is a worker that writes the same plan of one step at once.
import { startGateway } from "../../dist/gateway/server.js";

const [upstream, home] = process.argv.slice(2);
const PLAN = 'model_id = [0]\nsubtasks = ["Answer the question."]\naccess_list = [[]]';
const usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 0, reasoningTokens: 0 };
const planner = {
  id: "planner",
  kind: "model",
  async *ask() {
    yield { type: "text-delta", text: PLAN };
    yield { type: "finish", usage, reason: "stop" };
  },
};
const free = { inputUsd: 0, outputUsd: 0 };
const gateway = await startGateway({
  port: 0,
  host: "127.0.0.1",
  env: { TUTTI_HOME: home },
  config: {
    workers: [
      { model: "upstream/zero", baseUrl: `${upstream}/v1` },
      { worker: planner, price: free },
    ],
    conductor: "planner",
  },
});
console.log(gateway.url);
process.on("SIGTERM", () => gateway.close().then(() => process.exit(0)));
