// What a process takes, as the kernel counts it.
import { readdirSync, readFileSync } from "node:fs";

export function readRssMb(pid) {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(found?.[1]) / 1024;
}

/** Of all its threads, user and system, to the nanosecond where the kernel keeps it so; else in its ticks of 10 ms. */
export function readCpuMs(pid) {
  try {
    const tasks = `/proc/${pid}/task`;
    const ranNs = (task) => Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]);
    return readdirSync(tasks).reduce((sum, task) => sum + ranNs(task), 0) / 1e6;
  } catch {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }
}

/** A server that makes a process for each connection: with those that have ended. */
export function readTreeCpuMs(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const ended = (Number(fields[13]) + Number(fields[14])) * 10;
  const living = children.map((child) => {
    try {
      return readCpuMs(child);
    } catch {
      return 0; // it ended meanwhile
    }
  });
  return readCpuMs(pid) + ended + living.reduce((sum, ms) => sum + ms, 0);
}
