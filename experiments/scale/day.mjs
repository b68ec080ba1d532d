// One day of the whole service, second by second, as a fluid: how many runs arrive, are under way, wait for a place at a gateway
// and are done; what is in the journal. Pure; seeded by the random numbers that it is given.

const DAY_SECONDS = 86_400;

/** How high the steepest wave is above its mean: the cube of a raised cosine. */
const STEEPEST = 3.2;

/** Runs a second at this second of the day: a floor, a wave with its peak in the afternoon, and noise. `peakFactor` ≤ 3.2. */
export function toArrivals({ perDay, peakFactor }, second, random) {
  const hours = (second / DAY_SECONDS) * 24 - 15;
  const wave = STEEPEST * ((1 + Math.cos(hours * (Math.PI / 12))) / 2) ** 3;
  const share = (peakFactor - 1) / (STEEPEST - 1);
  const rate = (perDay / DAY_SECONDS) * (1 - share + share * wave);
  // The normal approximation of a Poisson count.
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return Math.max(0, rate + Math.sqrt(rate) * normal);
}

/**
 * `capacityPerSecond`: runs that the database takes in a second. `places`: runs that all gateways have under way at the most.
 * `outage`: seconds of the day in which the database is away; clients wait, as they do for half a minute.
 */
export function simulateDay({
  load,
  capacityPerSecond,
  places,
  runSeconds,
  outage,
  random,
  seconds = DAY_SECONDS,
}) {
  let waiting = 0;
  let running = 0;
  let arrived = 0;
  let done = 0;
  let mostWaiting = 0;
  let mostRunning = 0;
  let waitedSeconds = 0;
  let drainedAt;
  for (let second = 0; second < seconds; second++) {
    const coming = toArrivals(load, second, random);
    arrived += coming;
    waiting += coming;
    const isAway = outage && second >= outage.from && second < outage.from + outage.seconds;
    if (!isAway) {
      const ending = Math.min(running, running / runSeconds, capacityPerSecond);
      running -= ending;
      done += ending;
      const begins = Math.min(waiting, capacityPerSecond, Math.max(0, places - running));
      waiting -= begins;
      running += begins;
    }
    waitedSeconds += waiting;
    mostWaiting = Math.max(mostWaiting, waiting);
    mostRunning = Math.max(mostRunning, running);
    if (outage && second >= outage.from + outage.seconds && drainedAt === undefined && waiting < 1)
      drainedAt = second;
  }
  return {
    arrived,
    done,
    waiting,
    running,
    mostWaiting,
    mostRunning,
    meanWaitSeconds: waitedSeconds / arrived,
    drainSeconds: outage && drainedAt !== undefined ? drainedAt - outage.from - outage.seconds : undefined,
  };
}
