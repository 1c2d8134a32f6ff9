import type { ReportKind, ReportRow } from "@tollgate/contract/figures/reports.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { buildMonthSpan, formatDollarsText, reportCsvHead, reportCsvLine } from "./report-rules.ts";

test("months follow each other without a gap or an overlap, and a leap year has its day", () => {
  const now = Date.UTC(2099, 0, 1);
  const month = fc.integer({ min: 2020 * 12, max: 2098 * 12 });
  const textOf = (count: number) =>
    `${Math.floor(count / 12)}-${String((count % 12) + 1).padStart(2, "0")}`;
  fc.assert(
    fc.property(month, (count) => {
      expect(buildMonthSpan(textOf(count), now).end).toBe(
        buildMonthSpan(textOf(count + 1), now).first,
      );
    }),
  );
  const { first, end } = buildMonthSpan("2028-02", now);
  expect(end - first).toBe(29);
});

test("a month that has not begun is refused, and one that runs is not finished", () => {
  const now = Date.UTC(2026, 10, 30, 23, 59, 59);
  expect(buildMonthSpan("2026-11", now).isFinished).toBe(false);
  expect(buildMonthSpan("2026-10", now).isFinished).toBe(true);
  expect(() => buildMonthSpan("2026-12", now)).toThrow("cannot be in the future");
});

test("dollars of the CSV are exact for every number of units", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (units) => {
      const [whole = "", fraction = ""] = formatDollarsText(units).split(".");
      expect(fraction).toHaveLength(6);
      expect(BigInt(whole + fraction)).toBe(BigInt(units) * 2n);
    }),
  );
  expect(formatDollarsText(500_000)).toBe("1.000000");
});

test("a name that a spreadsheet would evaluate is text in the CSV", () => {
  const row = {
    id: 7,
    name: "=1+1",
    owner: "mira",
    requests: 3,
    failures: 1,
    prompt_tokens: 10,
    cached_prompt_tokens: 4,
    completion_tokens: 5,
    quota: 3,
  };
  const lineOf = (by: ReportKind, told: ReportRow) =>
    reportCsvLine("2026-11", { by, hasCosts: false }, told);
  expect(lineOf("key", row)).toBe("2026-11,'=1+1,mira,3,1,10,4,5,3,0.000006\r\n");
  expect(lineOf("model", { ...row, name: "" })).toBe("2026-11,(deleted),3,1,10,4,5,3,0.000006\r\n");
  expect(reportCsvHead({ by: "key", hasCosts: false }).split(",")).toHaveLength(10);
});

test("a known cost and its margin are exact in the CSV, and an unknown one is empty", () => {
  const row = {
    ...{ id: 7, name: "main", owner: "", requests: 3, failures: 0 },
    ...{ prompt_tokens: 10, cached_prompt_tokens: 0, completion_tokens: 5, quota: 500_000 },
  };
  const kind = { by: "channel", hasCosts: true } as const;
  const cells = (cost: ReportRow["cost"]) =>
    reportCsvLine("2026-11", kind, { ...row, cost })
      .trimEnd()
      .split(",")
      .slice(-4);
  expect(cells({ requests: 2, quota: 250_000, cost_micros: 120_000 })).toEqual([
    "2",
    "0.500000",
    "0.120000",
    "0.380000",
  ]);
  expect(cells({ requests: 2, quota: 1, cost_micros: 5 })).toEqual([
    "2",
    "0.000002",
    "0.000005",
    "-0.000003",
  ]);
  expect(cells(null)).toEqual(["0", "", "", ""]);
  expect(reportCsvHead(kind).split(",")).toHaveLength(13);
});
