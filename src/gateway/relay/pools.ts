// Connections to providers: one pool for each origin, made when it is first needed and kept, so that a
// relayed request costs no handshake.

import { Pool } from "undici";
import { RELAY_HEADERS_MS, RELAY_IDLE_MS } from "../../store/relayed-run.ts";

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
          headersTimeout: options.headersTimeoutMs ?? RELAY_HEADERS_MS,
          bodyTimeout: options.bodyTimeoutMs ?? RELAY_IDLE_MS,
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
