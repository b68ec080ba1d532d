// How long the processor worked for this process: unlike the time on the clock it is about the same on a machine that is
// busy with other things. For tests of work that must not take the square of what it reads.

/** Milliseconds since it was made. Threads of this process count, other processes do not. */
export function startCpuClock(): () => number {
  const from = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1_000;
  };
}
