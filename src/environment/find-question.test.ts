import { describe, expect, test } from "vitest";
import { createGrader } from "../task/grade/grade.ts";
import { add, toMember, toSum } from "../testing/learn/small-world.ts";
import { createTasksWorld } from "../world/tasks.ts";
import { createQuestionFinder } from "./find-question.ts";
import { digestTasks, type QuestionLabel } from "./label.ts";

const rehearsal: QuestionLabel = { world: "rehearsal", pools: "random", seed: 3, split: "train", number: 5 };

describe("the rehearsal", () => {
  test("a label is always the same question with the same pool; splits and numbers differ", () => {
    const [finder, other] = [createQuestionFinder(), createQuestionFinder()];
    const idsOf = ({ question }: ReturnType<typeof finder.find>) =>
      question.pool.members.map(({ worker }) => worker.id);
    const first = finder.find(rehearsal);
    const again = other.find({ ...rehearsal, before: ["a plan"] });
    expect(again.question.task).toEqual(first.question.task);
    expect(idsOf(again)).toEqual(idsOf(first));
    expect(finder.find({ ...rehearsal, number: 6 }).question.task).not.toEqual(first.question.task);
    expect(finder.find({ ...rehearsal, split: "test" }).question.task.id).toBe("rehearsal/test/5");
    expect(finder).toMatchObject({ name: "rehearsal (simulated)", isSimulated: true });
  });

  test("labels of tasks are refused: what is simulated does not mix with what is paid", () => {
    const label: QuestionLabel = { world: "tasks", digest: "d", task: "t", pool: ["a"] };
    expect(() => createQuestionFinder().find(label)).toThrow(/started without --tasks/);
  });
});

describe("tasks of one's own", () => {
  const tasks = Array.from({ length: 40 }, (_, i) => toSum(i + 1));
  const world = createTasksWorld({
    set: { id: "sums", tasks, source: "here" },
    pool: { members: [toMember("good", add, 0.9), toMember("bad", "Answer: 0", 0.2)] },
    grader: createGrader(),
    ...{ seed: 0, pools: "random" },
  });
  const digest = digestTasks(tasks);
  const finder = createQuestionFinder({ world, digest });
  const label: QuestionLabel = { world: "tasks", digest, task: "sum/7", pool: ["bad", "good"] };

  test("a label is its task with its workers in its order", () => {
    const { question } = finder.find(label);
    expect(question.task).toEqual(toSum(7));
    expect(question.pool.members.map(({ worker }) => worker.id)).toEqual(["bad", "good"]);
  });

  test.each<[string, QuestionLabel, RegExp]>([
    ["another set", { ...label, digest: "0123" }, /another set/],
    ["no such task", { ...label, task: "sum/99" }, /is not here/],
    ["no such worker", { ...label, pool: ["good", "stranger"] }, /is not here/],
    ["the rehearsal", rehearsal, /started with --tasks/],
  ])("%s is refused", (_, given, message) => {
    expect(() => finder.find(given)).toThrow(message);
  });

  test("what is posed can be recalled, from ids alone", () => {
    const posed = world.pose(world.splits.train[0]!, 0);
    const ids = posed.pool.members.map(({ worker }) => worker.id);
    expect(world.recall(posed.task.id, ids)?.pool.members.map(({ worker }) => worker.id)).toEqual(ids);
  });
});
