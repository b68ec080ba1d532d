// Connections to providers: one pool for each origin, made when it is first needed and kept, so that a
// relayed request costs no handshake.

import { Pool } from "undici";

/** Reasoning models are silent for minutes before the first byte. */
export const HEADERS_TIMEOUT_MS = 600_000;
/** Between two pieces of a body. While a slow client holds us up it does not count. */
export const BODY_TIMEOUT_MS = 120_000;

export type RelayPools = ReturnType<typeof createRelayPools>;

export interface RelayPoolOptions {
  /** To one origin; more requests wait for a free one. */
  connections?: number;
  headersTimeoutMs?: number;
  bodyTimeoutMs?: number;
}

export function createRelayPools(options: RelayPoolOptions = {}) {
  const pools = new Map<string, Pool>();
  return {
    of({ origin }: URL): Pool {
      let pool = pools.get(origin);
      if (!pool) {
        pool = new Pool(origin, {
          connections: options.connections ?? 256,
          headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
          bodyTimeout: options.bodyTimeoutMs ?? BODY_TIMEOUT_MS,
          keepAliveTimeout: 30_000,
        });
        pools.set(origin, pool);
      }
      return pool;
    },
    /** Waits for requests under way; afterwards there is no pool to be had. */
    async close(): Promise<void> {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}
