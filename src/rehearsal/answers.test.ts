// The answers of the families, checked by other means than the families' own.
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { generateProblems } from "./questions.ts";
import type { Problem } from "./types.ts";

const draw = (family: string, count = 150) =>
  generateProblems({ count, seed: "answers", families: [family] });

function each(family: string, check: (problem: Problem, parameters: never) => void): void {
  for (const problem of draw(family)) check(problem, problem.parameters as never);
}

test("arithmetic: JavaScript agrees", () => {
  each("arithmetic", ({ answer }, { expression }: { expression: string }) => {
    const source = expression.replaceAll("−", "-").replaceAll("×", "*");
    expect(Number(answer), expression).toBe(runInNewContext(source));
  });
});

test("programs: JavaScript prints the same", () => {
  each("programs", ({ answer }, { source }: { source: string }) => {
    const printed: number[] = [];
    runInNewContext(source, { console: { log: (value: number) => printed.push(value) } });
    expect(printed.map(String), source).toEqual([answer]);
  });
});

test("equations: the solution satisfies them", () => {
  type Single = { factor: number; constant: number; right: number; rightFactor?: number };
  type System = Record<"a" | "b" | "c" | "d" | "e" | "f", number> & { asked: string };
  each("equations", ({ answer, question }, parameters: Single | System) => {
    const value = Number(answer);
    if ("factor" in parameters) {
      const { factor, constant, right, rightFactor = 0 } = parameters;
      expect(factor * value + constant, question).toBe(rightFactor * value + right);
      return;
    }
    // y is given or follows from the sum: in both cases one x must satisfy both rows.
    const { a, b, c, d, e, f, asked } = parameters;
    const rows = [
      [a, b, c],
      [d, e, f],
    ] as const;
    const solvable = rows.filter(([p, q]) => asked === "y" || p !== q);
    const xs = solvable.map(([p, q, r]) => (r - q * value) / (asked === "y" ? p : p - q));
    for (const x of xs) expect(x, question).toBeCloseTo(xs[0]!, 9);
  });
});

test("dates: the calendar of JavaScript agrees", () => {
  const day = 86_400_000;
  each("dates", ({ answer, question, difficulty }) => {
    const times = [...question.matchAll(/\d{1,2} [A-Z][a-z]+ \d{4}/g)].map(([text]) =>
      Date.parse(`${text} UTC`),
    );
    if (difficulty === 3) expect(Number(answer), question).toBe((times[1]! - times[0]!) / day);
    if (difficulty !== 2) return;
    const days = Number(/(\d+) days/.exec(question)![1]);
    expect(Date.parse(`${answer} UTC`), question).toBe(times[0]! + days * day);
  });
});

test("routes: relaxing all roads again and again gives the same length", () => {
  type Parameters = { roads: { from: string; to: string; km: number }[]; start: string; goal: string };
  each("routes", ({ answer, question }, { roads, start, goal }: Parameters) => {
    const length = new Map([[start, 0]]);
    const at = (town: string) => length.get(town) ?? Number.POSITIVE_INFINITY;
    for (let round = 0; round < 10; round++) {
      for (const { from, to, km } of roads) {
        length.set(to, Math.min(at(to), at(from) + km));
        length.set(from, Math.min(at(from), at(to) + km));
      }
    }
    expect(Number(answer), question).toBe(at(goal));
  });
});

test("schedules: the longest chain of needs takes as long", () => {
  type Job = { name: string; hours: number; needs: string[] };
  each("schedules", ({ answer, question }, { jobs }: { jobs: Job[] }) => {
    const end = (name: string): number => {
      const job = jobs.find((other) => other.name === name)!;
      return job.hours + Math.max(0, ...job.needs.map(end));
    };
    expect(Number(answer), question).toBe(Math.max(...jobs.map(({ name }) => end(name))));
  });
});

test("knights: truth and lies fit exactly one case, and it is the answer", () => {
  type Statement = { speaker: string; kind: string; about: string };
  each("knights", ({ answer, question }, { statements }: { statements: Statement[] }) => {
    const isKnight = (name: string) => answer.split(", ").includes(name);
    for (const { speaker, kind, about } of statements) {
      const same = isKnight(speaker) === isKnight(about);
      const truths: Record<string, boolean> = {
        knight: isKnight(about),
        knave: !isKnight(about),
        same,
        different: !same,
      };
      expect(truths[kind], question).toBe(isKnight(speaker));
    }
  });
});

test("tables: sums over the rows agree", () => {
  type Row = { name: string; city: string; units: number; price: number };
  each("tables", ({ answer, difficulty, question }, { rows, asked }: { rows: Row[]; asked: string }) => {
    const chosen = rows.filter(({ name, city }) => name === asked || city === asked);
    const value = ({ units, price }: Row) => (difficulty === 3 ? units * price : units);
    expect(Number(answer), question).toBe(chosen.reduce((sum, row) => sum + value(row), 0));
  });
});
