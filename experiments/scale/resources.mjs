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

/** By how much the load may grow until this is used up; what does not grow with the load is used up now or never. */
export function toBreakingLoads({ measured, service, factors = [0.1, 1, 2, 3, 5, 10, 20, 30, 50, 100] }) {
  const at = (factor) => toUse({ measured, service: { ...service, perDay: service.perDay * factor } });
  return at(1).map(({ name }, i) => ({
    name,
    breaksAt: factors.find((factor) => at(factor)[i].share > 1),
    exactly: toExactly(at, i),
  }));
}

/** Use grows with a straight line. */
function toExactly(at, i) {
  const [one, two] = [at(1)[i].share, at(2)[i].share];
  const slope = two - one;
  if (slope <= 1e-12) return one > 1 ? 0 : undefined;
  return Math.max(0, 1 + (1 - one) / slope);
}
