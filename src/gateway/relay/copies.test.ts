import { describe, expect, it } from "vitest";
import { MOST_COPIED_BYTES, MOST_COPIED_BYTES_OF_KEY } from "../access/request-limits.ts";
import { ReplyCopies, type ReplyCopy } from "./copies.ts";

const MB = 1_000_000;

/** A reply of so many bytes, kept under this name. */
function keep(copies: ReplyCopies, keyId: string, name: string, bytes: number): void {
  const { kept, settle } = copies.begin(keyId, name, "hash");
  for (let left = bytes; left > 0; left -= MB) kept.add(Buffer.alloc(Math.min(left, MB)));
  settle({ status: 200, headers: {}, body: kept.toBuffer() });
}

const sizeOf = (copy: ReplyCopy | undefined) => copy?.body?.length;

describe("copies of replies", () => {
  it("are given to a repeat, and to nobody else", async () => {
    const copies = new ReplyCopies();
    keep(copies, "a", "one", 3 * MB);
    expect(sizeOf(await copies.find("a", "one", "hash"))).toBe(3 * MB);
    expect(await copies.find("b", "one", "hash")).toBeUndefined();
    expect(await copies.find("a", "two", "hash")).toBeUndefined();
    await expect(copies.find("a", "one", "other")).rejects.toMatchObject({ code: "conflict" });
  });

  it("of one key have a bound in bytes: the oldest lose theirs, and are still known to be answered", async () => {
    const copies = new ReplyCopies();
    const count = 100;
    for (let i = 0; i < count; i++) keep(copies, "a", `k${i}`, 4 * MB);
    const found = await Promise.all(
      Array.from({ length: count }, (_, i) => copies.find("a", `k${i}`, "hash")),
    );
    const bytes = found.reduce((sum, copy) => sum + (sizeOf(copy) ?? 0), 0);
    expect(bytes).toBe(MOST_COPIED_BYTES_OF_KEY);
    expect(found.every((copy) => copy?.status === 200)).toBe(true);
    expect(found.slice(-4).every((copy) => sizeOf(copy) === 4 * MB)).toBe(true);
  });

  it("of all keys have a bound, and one key's do not push another's out before that", async () => {
    const copies = new ReplyCopies();
    keep(copies, "quiet", "mine", 2 * MB);
    for (let i = 0; i < 50; i++) keep(copies, "loud", `k${i}`, 4 * MB);
    expect(sizeOf(await copies.find("quiet", "mine", "hash"))).toBe(2 * MB);
    for (let key = 0; key < 20; key++) for (let i = 0; i < 4; i++) keep(copies, `key${key}`, `k${i}`, 4 * MB);
    let bytes = 0;
    for (let key = 0; key < 20; key++)
      for (let i = 0; i < 4; i++) bytes += sizeOf(await copies.find(`key${key}`, `k${i}`, "hash")) ?? 0;
    expect(bytes).toBeLessThanOrEqual(MOST_COPIED_BYTES);
    expect(bytes).toBeGreaterThan(MOST_COPIED_BYTES / 2);
  });

  it("that are still coming count too, and those that failed leave nothing", async () => {
    const copies = new ReplyCopies();
    const begun = Array.from({ length: 40 }, (_, i) => copies.begin("a", `k${i}`, "hash"));
    for (let i = 0; i < 4; i++) for (const { kept } of begun) kept.add(Buffer.alloc(MB));
    const bytes = begun.reduce((sum, { kept }) => sum + (kept.toBuffer()?.length ?? 0), 0);
    expect(bytes).toBeLessThanOrEqual(MOST_COPIED_BYTES_OF_KEY);
    for (const { settle } of begun) settle(undefined);
    expect(await copies.find("a", "k0", "hash")).toBeUndefined();
    for (let i = 0; i < 4; i++) keep(copies, "a", `n${i}`, 4 * MB);
    expect(sizeOf(await copies.find("a", "n0", "hash"))).toBe(4 * MB);
  });
});
