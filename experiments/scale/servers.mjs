// A queue in front of servers, event by event: who comes when a server is free is served, others wait in order. Arrivals and
// times of service are drawn from what is given, so that a run of it can be repeated. Pure.

/**
 * `servers`: how many are served at a time. `nextArrivalMs` and `nextServiceMs` draw one; `untilMs` ends it.
 * Gives what arrived, was done, waits and is served at the end, each wait, and the mean number in the system over time.
 */
export function simulateQueue({ servers, nextArrivalMs, nextServiceMs, untilMs }) {
  const waiting = [];
  const busyUntil = []; // ends of what is served, the next one first
  const waitsMs = [];
  const staysMs = [];
  let arrived = 0;
  let done = 0;
  let areaMs = 0;
  let last = 0;
  let arrival = nextArrivalMs();

  const inSystem = () => waiting.length + busyUntil.length;
  const advance = (at) => {
    areaMs += inSystem() * (at - last);
    last = at;
  };
  const serve = (cameAt, at) => {
    const endsAt = at + nextServiceMs();
    insert(busyUntil, endsAt);
    waitsMs.push(at - cameAt);
    staysMs.push(endsAt - cameAt);
  };

  for (;;) {
    const end = busyUntil[0] ?? Number.POSITIVE_INFINITY;
    const at = Math.min(arrival, end);
    if (at > untilMs) break;
    advance(at);
    if (end <= arrival) {
      busyUntil.shift();
      done++;
      if (waiting.length > 0) serve(waiting.shift(), at);
    } else {
      arrived++;
      if (busyUntil.length < servers) serve(at, at);
      else waiting.push(at);
      arrival = at + nextArrivalMs();
    }
  }
  advance(untilMs);
  return {
    arrived,
    done,
    waiting: waiting.length,
    served: busyUntil.length,
    meanInSystem: areaMs / untilMs,
    meanStayMs: mean(staysMs),
    waitsMs: waitsMs.sort((a, b) => a - b),
  };
}

function insert(sorted, value) {
  let at = sorted.length;
  while (at > 0 && sorted[at - 1] > value) at--;
  sorted.splice(at, 0, value);
}

const mean = (numbers) =>
  numbers.length === 0 ? 0 : numbers.reduce((sum, n) => sum + n, 0) / numbers.length;

export const at = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Draws with this mean whose times are those of independent arrivals. */
export const exponential = (random, meanMs) => () => -Math.log(1 - random.next()) * meanMs;
