import { describe, expect, it } from "vitest";
import { createGroupCommit } from "./group-commit.ts";

const busy = new Error("busy");

/** A database that is no more than a list, and fails as often as it is told. */
function createList(failures: Error[] = [], busyTimeoutMs = 5_000) {
  const transactions: unknown[] = [];
  const group = createGroupCommit({
    transact(work) {
      const result = work();
      const failure = failures.shift();
      if (failure) throw failure;
      transactions.push(result);
      return result;
    },
    isBusy: (error) => error === busy,
    busyTimeoutMs,
  });
  return { transactions, commit: group.commit };
}

describe("group commit", () => {
  it("puts all jobs of a turn into one transaction and gives each its own result", async () => {
    const { transactions, commit } = createList();
    const jobs = [1, 2, 3].map((n) => commit(() => n * 10));
    const late = Promise.resolve().then(() => commit(() => "late"));
    expect(await Promise.all([...jobs, late])).toEqual([10, 20, 30, "late"]);
    expect(transactions).toEqual([[10, 20, 30, "late"]]);
    await commit(() => 4);
    expect(transactions).toHaveLength(2);
  });

  it("fails all jobs of a failed transaction and goes on with the next", async () => {
    const full = new Error("full");
    const { transactions, commit } = createList([full]);
    const results = await Promise.allSettled([commit(() => 1), commit(() => 2)]);
    expect(results).toEqual([
      { status: "rejected", reason: full },
      { status: "rejected", reason: full },
    ]);
    expect(await commit(() => 3)).toBe(3);
    expect(transactions).toEqual([[3]]);
  });

  it("waits for a lock, keeping the order of what comes meanwhile", async () => {
    const { transactions, commit } = createList([busy, busy]);
    const first = commit(() => "first");
    const second = new Promise((done) => setTimeout(() => done(commit(() => "second")), 1));
    await Promise.all([first, second]);
    expect(transactions.flat()).toEqual(["first", "second"]);
  });

  it("gives a lock up after the time-out, and works again when the lock is gone", async () => {
    const { commit } = createList([busy, busy], 0);
    await expect(commit(() => 1)).rejects.toBe(busy);
    await expect(commit(() => 2)).rejects.toBe(busy);
    expect(await commit(() => 3)).toBe(3);
  });
});
