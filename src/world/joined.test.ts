import { describe, expect, test } from "vitest";
import type { GradedTask } from "../task/types.ts";
import { createSmallWorld, toMember, toSum } from "../testing/learn/small-world.ts";
import { createJoinedWorld } from "./joined.ts";
import type { Question, World } from "./types.ts";

const { signal } = new AbortController();
const numbers = Array.from({ length: 2_000 }, (_, number) => number);

/** A world whose questions say where they are from; ids and prompts are the same in all. */
function createPart(name: string, parts: Partial<World> = {}, validation = 4): World {
  const pose = (number: number): Question => ({
    task: { ...toSum(number), set: "sums" },
    pool: { members: [toMember(name, "Answer: 0", 0.5)] },
  });
  return createSmallWorld({
    name,
    isSimulated: false,
    sample: pose,
    validation: Array.from({ length: validation }, (_, i) => pose(600 + i)),
    grade: () => ({ score: 1, why: name }),
    texts: () => [`${name} one`, `${name} two`],
    ...parts,
  });
}

const nameOf = ({ pool }: Question) => pool.members[0]!.worker.id;
const graded = (world: World, task: GradedTask) => world.grade(task, {} as never, signal);
const join = (...parts: World[]) =>
  createJoinedWorld(
    parts,
    parts.map(() => 1 / parts.length),
  );

describe("joined worlds", () => {
  test("give questions of each by its share, the same for the same seed", () => {
    const world = createJoinedWorld([createPart("a"), createPart("b")], [0.8, 0.2]);
    const names = numbers.map((number) => nameOf(world.sample(number)));
    const share = names.filter((name) => name === "a").length / names.length;
    expect(share).toBeGreaterThan(0.77);
    expect(share).toBeLessThan(0.83);
    expect(numbers.map((number) => nameOf(world.sample(number)))).toEqual(names);
    // Which world is next says nothing about which of its questions.
    expect(world.sample(7).task.prompt).toBe(toSum(7).prompt);
  });

  test("have each question graded by its own world, though others have the same ids", async () => {
    const world = join(createPart("a"), createPart("b"), createPart("c"));
    for (const question of [...numbers.slice(0, 40).map(world.sample), ...world.validation])
      expect(await graded(world, question.task)).toEqual({ score: 1, why: nameOf(question) });
    expect(() => graded(world, toSum(1))).toThrow('Task "sum/1" is of none of the joined worlds');
  });

  test("are validated on as many questions of each, in turns and from all over", () => {
    const world = join(createPart("a", {}, 3), createPart("b", {}, 9));
    expect(world.validation.map(nameOf)).toEqual(["a", "b", "a", "b", "a", "b"]);
    const own = world.validation.filter((question) => nameOf(question) === "b");
    expect(own.map(({ task }) => task.id)).toEqual(["sum/600", "sum/603", "sum/606"]);
    expect(world.validation).toBe(world.validation);
    expect(world.parts!.map(({ name }) => name)).toEqual(["a", "b"]);
    for (const question of world.validation)
      expect(world.parts!.map((part) => part.holds(question.task))).toEqual(
        ["a", "b"].map((name) => name === nameOf(question)),
      );
  });

  test("say what both are: simulated where one is, instant where all are, split by family where one is", () => {
    const [a, b] = [createPart("a", { isSimulated: true }), createPart("b", { splitBy: "family" })];
    expect(join(a, b)).toMatchObject({
      ...{ kind: "joined", name: "a + b", isSimulated: true, isInstant: true, splitBy: "family" },
      parts: [
        { name: "a", isSimulated: true },
        { name: "b", isSimulated: false },
      ],
    });
    expect(join(a, createPart("b", { isInstant: false })).isInstant).toBe(false);
  });

  test("give as many texts of each", () => {
    const world = join(createPart("a"), createPart("b", { texts: () => ["1", "2", "3"] }));
    expect(world.texts()).toEqual(["a one", "a two", "a one", "1", "2", "3"]);
    expect(join(createPart("a"), createPart("b", { texts: () => [] })).texts()).toEqual(["a one", "a two"]);
  });

  test("can be replayed where all of them can: a part alone would pass for the whole", () => {
    const replay = (task: string) => [{ set: "s", task, pool: { members: [] }, answers: [], right: [] }];
    const [a, b] = ["a", "b"].map((name) =>
      createPart(name, { replays: (split) => replay(`${name} ${split}`) }),
    );
    expect(join(a!, b!).replays!("train").map(({ task }) => task)).toEqual(["a train", "b train"]);
    expect(join(a!, createPart("c")).replays).toBeUndefined();
  });

  test.each([
    [2, [1], "The shares of 2 worlds must be as many numbers above 0 that make 1, not 1"],
    [2, [0.5, 0.6], "not 0.5, 0.6"],
    [2, [0, 1], "not 0, 1"],
    [2, [Number.NaN, 1], "not NaN, 1"],
    [1, [1], "Two worlds or more can be joined, not 1"],
  ])("need shares that make 1: %d worlds, %j", (count, shares, message) => {
    const worlds = Array.from({ length: count }, (_, i) => createPart(String(i)));
    expect(() => createJoinedWorld(worlds, shares)).toThrow(message);
  });
});
