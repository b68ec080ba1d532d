// The config of the gateways that are measured: workers in the process that answer at once, so that what takes time is ours, or
// a provider on loopback (SCALE_PROVIDER) that takes its time. SCALE_STORE is where the journal is.
const usage = { inputTokens: 40, outputTokens: 10, cachedInputTokens: 0, reasoningTokens: 0 };
const price = { inputUsd: 0.1, outputUsd: 0.2 };
const { SCALE_PROVIDER: provider, SCALE_STORE: store } = process.env;

const zero = {
  id: "zero/zero",
  kind: "model",
  async *ask() {
    yield { type: "text-delta", text: "A reply that is there at once." };
    yield { type: "finish", usage, reason: "stop" };
  },
};

export default {
  workers: provider
    ? [{ id: "slow/slow", model: "slow/slow", baseUrl: `${provider}/v1`, price, maxOutputTokens: 64 }]
    : [{ worker: zero, price }],
  ...(store && { store }),
  consensus: false,
  maxOutputTokens: 64,
  retries: 0,
  // By default 512 requests are answered at once.
  gateway: { maxRunning: 6_000 },
};
