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

test("gardens: the formula agrees", () => {
  type Parameters = { length: number; width: number; price: number; margin: number };
  each("gardens", ({ answer, difficulty, question }, { length, width, price, margin }: Parameters) => {
    const frame = 2 * margin * (length + width) + 4 * margin ** 2;
    const expected = { 1: length * width, 2: 2 * (length + width) * price, 3: frame * price }[difficulty];
    expect(Number(answer), question).toBe(expected);
  });
});

test("shopping: the formula agrees, and bills come out in whole dollars", () => {
  type Parameters = Record<string, number>;
  each("shopping", ({ answer, difficulty, question }, p: Parameters) => {
    const goods = p.count! * p.price! + p.moreCount! * p.otherPrice!;
    const bill = (goods * (1 - p.percent! / 100) + p.delivery!) / p.friends!;
    const expected = {
      1: p.count! * p.price!,
      2: p.hours! * p.speed! + p.moreHours! * p.otherSpeed!,
      3: bill,
    }[difficulty];
    expect(Number(answer), question).toBeCloseTo(expected, 9);
    expect(Number.isInteger(Number(answer)), question).toBe(true);
  });
});

test("units: converting back gives the amount, speeds and masses agree", () => {
  const inBase: Record<string, number> = {
    ...{ metres: 1, kilometres: 1000, centimetres: 0.01, grams: 1, kilograms: 1000, tonnes: 1e6 },
    ...{ litres: 1, millilitres: 0.001, seconds: 1, minutes: 60, hours: 3600, days: 86_400 },
  };
  type Parameters = {
    amount: number;
    from: string;
    to: string;
    litres: number;
    density: number;
    tanks: number;
  };
  each("units", ({ answer, difficulty, question }, p: Parameters) => {
    const expected = {
      1: (p.amount * inBase[p.from]!) / inBase[p.to]!,
      2: p.amount / 3.6,
      3: p.litres * p.tanks * p.density,
    }[difficulty];
    expect(Number(answer), question).toBeCloseTo(expected, 3);
  });
});

test("ordering: all finishing orders that fit the clues agree on the place", () => {
  type Relation = { first: string; kind: string; second: string };
  type Parameters = { runners: string[]; clues: Relation[]; place: string };
  const places = ["first", "second", "third", "fourth", "fifth"];
  const permute = (names: string[]): string[][] =>
    names.length === 0
      ? [[]]
      : names.flatMap((name) =>
          permute(names.filter((other) => other !== name)).map((rest) => [name, ...rest]),
        );
  each("ordering", ({ answer, question }, { runners, clues, place }: Parameters) => {
    const fitting = permute(runners).filter((order) =>
      clues.every(({ first, kind, second }) => {
        const gap = order.indexOf(second) - order.indexOf(first);
        return kind === "right before" ? gap === 1 : gap > 0;
      }),
    );
    const winners = new Set(fitting.map((order) => order[places.indexOf(place)]));
    expect([...winners], question).toEqual([answer]);
  });
});

test("strings: the changes one after the other give the same letters", () => {
  const change: Record<string, (letters: string[]) => string[]> = {
    "reverse it": (letters) => letters.toReversed(),
    "remove its vowels": (letters) => letters.filter((letter) => !"aeiou".includes(letter)),
    "remove its first letter": ([, ...rest]) => rest,
    "remove its last letter": (letters) => letters.slice(0, -1),
    "move its first letter to the end": ([first, ...rest]) => [...rest, first!],
    "move its last letter to the front": (letters) => [letters.at(-1)!, ...letters.slice(0, -1)],
    "sort its letters alphabetically": (letters) => letters.toSorted(),
    "double its first letter": (letters) => [letters[0]!, ...letters],
    "double its last letter": (letters) => [...letters, letters.at(-1)!],
  };
  each("strings", ({ answer, question }, { word, changes }: { word: string; changes: string[] }) => {
    const letters = changes.reduce((current, name) => change[name]!(current), [...word]);
    expect(answer, question).toBe(letters.join(""));
  });
});

test("facts: the same key has the same answer in every phrasing, and harder facts are other facts", () => {
  for (const family of ["capitals", "elements"]) {
    const answers = new Map<string, string>();
    const difficulties = new Map<string, number>();
    for (const { parameters, form, answer, difficulty } of draw(family, 600)) {
      const key = `${form} ${(parameters as { key: string }).key}`;
      expect(answers.get(key) ?? answer).toBe(answer);
      expect(difficulties.get(key) ?? difficulty).toBe(difficulty);
      answers.set(key, answer);
      difficulties.set(key, difficulty);
    }
    expect(new Set(difficulties.values()), family).toEqual(new Set([1, 2, 3]));
  }
});
