import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SpendingGroup, SpendingRow } from "../../store/types.ts";
import { parseBillQuery, toBill, toBillCsv, toQuota, toSpentUsd } from "./bill.ts";
import type { GatewayKey } from "./keys.ts";

const toRow = (row: Partial<SpendingRow>): SpendingRow => ({
  ...{ group: {}, isSimulated: false, runs: 1, calls: 2, costUsd: 0.1, estimatedUsd: 0.02 },
  ...{ inputTokens: 30, outputTokens: 4, cachedInputTokens: 20, cacheWriteTokens: 5, cacheSavedUsd: 0.01 },
  ...row,
});

describe("what is asked for", () => {
  it("is everything as JSON by default", () => {
    expect(parseBillQuery({})).toEqual({ filter: { groupBy: [] }, format: "json" });
    expect(parseBillQuery({ from: "", group: "", format: "", key: "", beta: "true" })).toEqual(
      parseBillQuery({}),
    );
  });

  it("may be a time, groups and a format", () => {
    const query = {
      ...{ from: "2026-11-01", to: "1796083200000", group: "key, day,metadata.team,key" },
      ...{ format: "csv", key: "key_abcd1234" },
    };
    expect(parseBillQuery(query)).toEqual({
      filter: {
        ...{ from: Date.UTC(2026, 10, 1), to: 1796083200000, keyId: "key_abcd1234" },
        groupBy: ["key", "day", "metadata.team"],
      },
      format: "csv",
    });
    expect(parseBillQuery({ from: "2026-11-01T12:00:00+01:00" }).filter.from).toBe(Date.UTC(2026, 10, 1, 11));
  });

  it.each([
    ["from", { from: "yesterday" }, 'not "yesterday"'],
    ["from", { from: "2026-02-30" }, 'not "2026-02-30"'],
    ["from", { from: "2026-11-01T25:00:00Z" }, "must be a date"],
    ["from", { from: "2026-11-01T12:00:00" }, "must be a date"],
    ["from", { from: "-5" }, "must be a date"],
    ["to", { to: "9999999999999999" }, "must be a date"],
    ["to", { from: "2026-11-02", to: "2026-11-02" }, '"to" must be later than "from"'],
    ["format", { format: "xml" }, 'must be json or csv, not "xml"'],
    ["group", { group: "key,modell" }, 'not "modell". Did you mean "model"?'],
    ["group", { group: "metadata." }, "metadata.NAME"],
    ["group", { group: `metadata.${"x".repeat(65)}` }, "metadata.NAME"],
    [
      "group",
      { group: "key,user,model,day,metadata.a,metadata.b,metadata.c" },
      "6 groups at the most, not 7",
    ],
  ])("names %s as the one to blame in %j", (param, query, text) => {
    expect(() => parseBillQuery(query)).toThrow(
      expect.objectContaining({
        code: "bad-request",
        status: 400,
        param,
        message: expect.stringContaining(text),
      }),
    );
  });
});

describe("the bill", () => {
  it("has one line for each row, and keeps simulated money apart", () => {
    const rows = [
      toRow({ group: { key: "key_1", "metadata.team": "a" }, costUsd: 0.1 }),
      toRow({ group: { key: "key_1", "metadata.team": "" }, costUsd: 0.2 }),
      toRow({ group: { key: "key_1", "metadata.team": "a" }, costUsd: 7, isSimulated: true }),
    ];
    expect(toBill(rows, ["key", "metadata.team"])).toEqual({
      object: "bill",
      group: ["key", "metadata.team"],
      data: [
        expect.objectContaining({ key: "key_1", "metadata.team": "a", cost_usd: 0.1, simulated: false }),
        expect.objectContaining({ key: "key_1", "metadata.team": "", cost_usd: 0.2, simulated: false }),
        {
          ...{ key: "key_1", "metadata.team": "a", runs: 1, calls: 2, cost_usd: 7 },
          ...{ estimated_usd: 0.02, input_tokens: 30, output_tokens: 4, simulated: true },
          ...{ cached_input_tokens: 20, cache_write_tokens: 5, cache_saved_usd: 0.01 },
        },
      ],
      total: {
        ...{ runs: 2, calls: 4, cost_usd: 0.3, estimated_usd: 0.04 },
        ...{ input_tokens: 60, output_tokens: 8 },
        ...{ cached_input_tokens: 40, cache_write_tokens: 10, cache_saved_usd: 0.02 },
      },
      simulated_total: {
        ...{ runs: 1, calls: 2, cost_usd: 7, estimated_usd: 0.02 },
        ...{ input_tokens: 30, output_tokens: 4 },
        ...{ cached_input_tokens: 20, cache_write_tokens: 5, cache_saved_usd: 0.01 },
      },
    });
    expect(JSON.stringify(toBill([], []))).not.toContain("simulated_total");
    expect(toSpentUsd(rows)).toBeCloseTo(7.3);
  });

  it("is CSV with a heading, and figures without exponents", () => {
    const rows = [
      toRow({ group: { user: "ann" }, costUsd: 1e-7 }),
      toRow({ group: { user: "" }, costUsd: 20, cacheSavedUsd: -0.25 }),
      toRow({ group: { user: "bob" }, cacheSavedUsd: -1e-15 }),
    ];
    const columns =
      "runs,calls,cost_usd,input_tokens,output_tokens,simulated,estimated_usd," +
      "cached_input_tokens,cache_write_tokens,cache_saved_usd\r\n";
    expect(toBillCsv(rows, ["user"])).toBe(
      `user,${columns}` +
        "ann,1,2,0.0000001,30,4,false,0.02,20,5,0.01\r\n" +
        ",1,2,20,30,4,false,0.02,20,5,-0.25\r\n" +
        "bob,1,2,0.1,30,4,false,0.02,20,5,0\r\n",
    );
    expect(toBillCsv([], [])).toBe(columns);
  });

  it.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    [" =1", "' =1"],
    ['=HYPERLINK("http://x")', `'=HYPERLINK("http://x")`],
    ["a=b", "a=b"],
    ["ann@example.org", "ann@example.org"],
  ])("does not let a spreadsheet run %j", (user, shown) => {
    const [, line] = parse(toBillCsv([toRow({ group: { user } })], ["user"]), { relax_column_count: false });
    expect(line?.[0]).toBe(shown);
  });

  it("is read back as it was by a reader of CSV, whatever the tags are", () => {
    const tag = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom('"', ",", "\n", "\r", ";", "=", "'", " ", "a") }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(tag, tag), { minLength: 1, maxLength: 5 }), (tags) => {
        const groups: SpendingGroup[] = ["user", "metadata.x,y"];
        const rows = tags.map(([user, other]) => toRow({ group: { user, "metadata.x,y": other } }));
        const [heading, ...lines] = parse(toBillCsv(rows, groups), { relax_column_count: false });
        expect(heading?.slice(0, 3)).toEqual(["user", "metadata.x,y", "runs"]);
        expect(lines).toHaveLength(tags.length);
        for (const [i, cells] of lines.entries()) {
          for (const column of [0, 1]) {
            const cell = cells[column]!;
            expect([tags[i]![column], `'${tags[i]![column]}`]).toContain(`${cell}`);
            if (cell === tags[i]![column]) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
          }
        }
      }),
      { seed: 3, numRuns: 500 },
    );
  });
});

describe("the quota", () => {
  const key: GatewayKey = {
    ...{ id: "key_00000000", name: "ci", hash: "secret hash", hint: "wxyz", createdAt: 0, isAdmin: false },
    ...{ expiresAt: Date.UTC(2027, 0, 1), concurrency: 4, only: ["openai"] },
    budget: { usd: 5, window: "month" },
  };

  it("tells what is left, of what, and until when", () => {
    const quota = toQuota(key, 1.2, 0.5, Date.UTC(2026, 10, 17));
    expect(quota).toEqual({
      object: "usage",
      key: { id: "key_00000000", name: "ci", expires_at: "2027-01-01T00:00:00.000Z", is_admin: false },
      spent_usd: 1.2,
      budget: {
        ...{ limit_usd: 5, spent_usd: 1.2, reserved_usd: 0.5, remaining_usd: 3.3 },
        ...{ window: "month", resets_at: "2026-12-01T00:00:00.000Z" },
      },
      limits: { requests_per_minute: null, concurrency: 4 },
      pool: { only: ["openai"], without: null },
    });
    expect(JSON.stringify(quota)).not.toContain("hash");
  });

  it("is never below nothing, and has no budget where there is none", () => {
    expect(toQuota(key, 6, 0.5, 0)).toMatchObject({ budget: { remaining_usd: 0 } });
    const { budget: _, expiresAt: __, ...free } = key;
    expect(toQuota(free, 6, 0, 0)).toMatchObject({ budget: null, key: { expires_at: null }, spent_usd: 6 });
    expect(toQuota({ ...key, budget: { usd: 1, window: "total" } }, 0, 0, 0)).toMatchObject({
      budget: { resets_at: null },
    });
  });
});
