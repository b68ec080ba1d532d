// The shortest schedule of jobs that wait for each other: finish times along the dependencies, and the
// latest of them.

import type { Random } from "../../base/random.ts";
import { defineFamily, defineForm } from "../templates/family.ts";
import { listOf, type Slot } from "../templates/slots.ts";
import type { Difficulty } from "../types.ts";

interface ScheduledJob {
  name: string;
  hours: number;
  needs: string[];
}
const JOBS = ["digging", "framing", "wiring", "plumbing", "roofing", "plastering", "painting", "cleaning"];
const SIZE: Record<Difficulty, number> = { 1: 2, 2: 4, 3: 6 };
/** Each job stands after those it needs. */
const JOB: Slot<ScheduledJob> = {
  pattern: "[a-z]+ takes \\d{1,4} hours?(?: and needs [a-z]+(?: and [a-z]+){0,3})?",
  read(text) {
    const [, name, hours, needs] = /^(\w+) takes (\d+) hours?(?: and needs (.+))?$/i.exec(text)!;
    return { name: name!, hours: Number(hours), needs: needs?.split(" and ") ?? [] };
  },
  write({ name, hours, needs }) {
    return `${name} takes ${hours} hours${needs.length > 0 ? ` and needs ${needs.join(" and ")}` : ""}`;
  },
};

export const schedules = defineFamily({
  id: "schedules",
  topic: "planning",
  work: "work out when each job of the schedule can finish, along its dependencies",
  terms: "schedule, jobs, job, dependencies, critical path, finish times, in parallel",
  forms: [
    defineForm({
      slots: { jobs: listOf(JOB, [2, 12], "; ") },
      phrasings: [
        "Jobs at a building site: {jobs}. Jobs that do not wait for each other run at the same time. After how many hours can all be done?",
        "With enough workers, what is the shortest time in hours for all of these jobs? {jobs}.",
        "How many hours does this plan take at least if jobs run side by side where they can? {jobs}.",
      ],
      draw: drawJobs,
      accepts({ jobs }) {
        const names = jobs.map(({ name }) => name);
        const isInOrder = jobs.every(({ needs }, i) =>
          needs.every((need) => names.slice(0, i).includes(need)),
        );
        return isInOrder && new Set(names).size === names.length;
      },
      difficultyOf: ({ jobs }) => (jobs.length <= 2 ? 1 : jobs.length <= 4 ? 2 : 3),
      solve({ jobs }, sheet) {
        const finished = new Map<string, number>();
        for (const { name, hours, needs } of jobs) {
          const start = Math.max(0, ...needs.map((need) => finished.get(need)!));
          const end = sheet.number(
            "add the hours of the next job to the latest end of what it needs",
            start + hours,
            `${name}: ${start} + ${hours} = #`,
          );
          finished.set(name, end);
        }
        const last = Math.max(...finished.values());
        return sheet.number("take the latest end of all jobs", last, "all done after # hours");
      },
    }),
  ],
});

function drawJobs(random: Random, difficulty: Difficulty): { jobs: ScheduledJob[] } {
  const names = random.shuffle(JOBS).slice(0, SIZE[difficulty]);
  const jobs = names.map((name, i) => {
    const earlier = random.shuffle(names.slice(0, i));
    const needs = i === 0 ? [] : earlier.slice(0, i === 1 ? 1 : random.integer(0, 2));
    return { name, hours: random.integer(2, 12), needs };
  });
  return { jobs };
}
