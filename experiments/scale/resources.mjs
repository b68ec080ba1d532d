// What a service of so many gateways takes of each resource, from what was measured on one machine, and which of them is used up
// first. Pure arithmetic.

/**
 * `measured`: see speed/scale/measured.json. `service`: how large it is, and how large its server. Rates are those of the peak,
 * what is kept is counted by the day.
 */
export function toUse({ measured, service }) {
  const { gateways, perDay, peakFactor, steps, retentionDays, hotKeyShare, hotKeyHasBudget } = service;
  const perSecond = (perDay / 86_400) * peakFactor;
  const { postgres, gateway, idle } = measured;
  const scale = steps / measured.steps;
  const runPostgresMs = postgres.cpuMsPerRun * scale;
  const runGatewayMs = gateway.cpuMsPerRun * scale;
  const bytesPerDay = perDay * postgres.journalBytesPerRun * scale;
  const hotPerSecond = perSecond * hotKeyShare;
  /** Held from the first change of the row to the commit: once for each step that cost something, and to reserve. */
  const lockMs = measured.hotKey.commitMs * (steps + (hotKeyHasBudget ? 2 : 1));
  const connections = gateways * postgres.connectionsPerGateway;
  return [
    use("connections of Postgres", connections, service.maxConnections, "connections"),
    use(
      "CPU of Postgres",
      (perSecond * runPostgresMs + gateways * idle.postgresCpuMsPerSecond) / 1000,
      service.postgresCores,
      "cores",
    ),
    use("CPU of the gateways", (perSecond * runGatewayMs) / 1000 / gateways, 1, "cores of each"),
    use("the row of the hottest key", (hotPerSecond * lockMs) / 1000, 1, "of its time locked"),
    use(
      "write-ahead log",
      (perSecond * postgres.walBytesPerRun * scale) / 1e6,
      service.walMbPerSecond,
      "MB/s",
    ),
    use(
      "flushes of the disk",
      perSecond * postgres.flushesPerRun * scale,
      service.flushesPerSecond,
      "a second",
    ),
    use("the journal on the disk", (bytesPerDay * retentionDays) / 1e9, service.diskGb, "GB"),
    use("deleting what is old", (bytesPerDay / 1e9) * 1, service.deletedGbPerDay, "GB a day"),
  ];
}

const use = (name, used, of, unit) => ({ name, used, of, unit, share: used / of });

/** By how much the load may grow until this is used up: use grows with a straight line. 0: it is already, at any load. */
export function toBreakingLoads({ measured, service }) {
  const at = (factor) => toUse({ measured, service: { ...service, perDay: service.perDay * factor } });
  const [one, two] = [at(1), at(2)];
  return one.map(({ name, share }, i) => {
    const slope = two[i].share - share;
    if (slope <= 1e-12) return { name, exactly: share > 1 ? 0 : undefined };
    return { name, exactly: Math.max(0, 1 + (1 - share) / slope) };
  });
}
