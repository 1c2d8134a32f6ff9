import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callCost } from "../../money/prices/buying-price.ts";
import {
  buildLoggedPrice,
  charge,
  computeCachedTokens,
  computeCompletionTokens,
  extraBuckets,
  freezePrice,
  groupRatioOne,
  noUsage,
  picodollarsPerUnit,
  promptTokens,
  type Usage,
} from "../../money/prices/price.ts";
import { focusHead, focusLine } from "./focus-csv.ts";
import { type FocusCall, type FocusRow, type FocusSubject, sumFocusCalls } from "./focus-day.ts";

const day = 20_780;
const subject: FocusSubject = {
  user: { id: "u-1", name: "ann" },
  key: { id: "k-1", name: "=laptop" },
  model: "small",
  publisher: "OpenAI",
  tags: '{"team":"search"}',
};
const rates = {
  input: 2_500_000n,
  cache_read: 250_000n,
  cache_write_5m: 3_125_000n,
  cache_write_1h: 5_000_000n,
  output: 10_000_000n,
};
const price = {
  rates,
  tiers: [{ above: 1_000, aboveOutput: 0, rates: { ...rates, input: 5_000_000n } }],
  source: "test",
  source_date: "",
  verified: true,
  max_tokens: 0,
};

/** A log row as the settlement writes it, at its exact charge unless another is stated. */
function callOf(usage: Usage, groupRatio: number, quota?: number): FocusCall {
  return {
    subject,
    log: {
      quota: quota ?? charge(price, usage, groupRatio),
      prompt_tokens: promptTokens(usage),
      completion_tokens: computeCompletionTokens(usage),
      cached_prompt_tokens: computeCachedTokens(usage),
      cache_write_5m_tokens: usage.cache_write_5m,
      cache_write_1h_tokens: usage.cache_write_1h,
      price: JSON.stringify(buildLoggedPrice(freezePrice(price, groupRatio), usage)),
    },
  };
}

function rowsOf(calls: readonly FocusCall[]): FocusRow[] {
  const sums = sumFocusCalls(day);
  for (const call of calls) sums.add(call);
  return sums.take();
}

const sum = (rows: readonly FocusRow[]): bigint =>
  rows.reduce((total, { billedCost }) => total + billedCost, 0n);
const cellsOf = (row: FocusRow | undefined): Record<string, string> => {
  const site = { name: "Example AI", showsCosts: true };
  const names = focusHead(site).trimEnd().split(",");
  const cells = row ? focusLine(row, site).replace("\r\n", "").split(",") : [];
  return Object.fromEntries(names.map((name, place) => [name, cells[place] ?? ""]));
};

const count = fc.nat({ max: 3_000 });
const usages = fc.record({
  ...Object.fromEntries(Object.keys(noUsage).map((bucket) => [bucket, count])),
  ...Object.fromEntries(
    extraBuckets.map((bucket) => [bucket, fc.option(fc.nat({ max: 20 }), { nil: undefined })]),
  ),
}) as unknown as fc.Arbitrary<Usage>;
const ratios = fc.integer({ min: 0, max: 3 * groupRatioOne });

describe("the rows of a FOCUS export", () => {
  test("add up to what the calls were charged, to the unit, whatever was used and charged", () => {
    const calls = fc.array(
      fc
        .tuple(usages, ratios, fc.option(fc.nat({ max: 1_000_000 }), { nil: undefined }))
        .map(([usage, ratio, quota]) => callOf(usage, ratio, quota)),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(calls, (all) => {
        const charged = all.reduce((units, { log }) => units + BigInt(log.quota), 0n);
        expect(sum(rowsOf(all))).toBe(charged * picodollarsPerUnit);
      }),
    );
  });

  test("quantity times unit price is the cost at the list price", () => {
    fc.assert(
      fc.property(usages, ratios, (usage, ratio) => {
        for (const { kind, listCost } of rowsOf([callOf(usage, ratio)]))
          if (typeof kind !== "string") expect(BigInt(kind.quantity) * kind.rate).toBe(listCost);
      }),
    );
  });

  test("each rate and ratio has a row, and rounding is apart from other differences", () => {
    const short = callOf({ ...noUsage, input: 100 }, groupRatioOne);
    const long = callOf({ ...noUsage, input: 2_000, output: 1 }, groupRatioOne);
    const cheaper = callOf({ ...noUsage, input: 7 }, groupRatioOne / 2);
    const inputs = rowsOf([short, short, long, cheaper]).filter(
      ({ kind }) => typeof kind !== "string" && kind.bucket === "input",
    );
    expect(
      inputs.map(({ kind, calls }) => [typeof kind === "string" || kind.quantity, calls]),
    ).toEqual([
      [200, 2],
      [2_000, 1],
      [7, 1],
    ]);
    expect(rowsOf([callOf({ ...noUsage, input: 1 }, groupRatioOne)]).at(-1)?.kind).toBe("rounding");
    const capped = rowsOf([callOf({ ...noUsage, input: 100 }, groupRatioOne, 1)]).at(-1);
    expect([capped?.kind, capped?.billedCost]).toEqual(["other", 2_000_000n - 250_000_000n]);
  });

  test("costs of providers add up to those of the calls, are empty where unknown, and absent for users", () => {
    fc.assert(
      fc.property(fc.array(usages, { maxLength: 6 }), (all) => {
        const buying = { rates: { ...rates, input: 1_500_000n, calls: 7_000_000n } };
        const bought = all.map((usage): FocusCall => {
          const call = callOf(usage, groupRatioOne);
          const frozen = freezePrice({ ...price, buying }, groupRatioOne);
          return {
            ...call,
            log: { ...call.log, price: JSON.stringify(buildLoggedPrice(frozen, usage)) },
          };
        });
        const paid = rowsOf(bought).reduce(
          (sum, { kind }) =>
            typeof kind === "string" ? sum : sum + (kind.buyingRate ?? 0n) * BigInt(kind.quantity),
          0n,
        );
        const nanos = all.map(
          (usage) => callCost(freezePrice({ ...price, buying }, groupRatioOne), usage) ?? 0,
        );
        const difference = paid - nanos.reduce((total, one) => total + BigInt(one) * 1_000n, 0n);
        expect(difference < 0n ? -difference : difference).toBeLessThanOrEqual(
          BigInt(all.length) * 500n,
        );
        expect(sum(rowsOf(bought))).toBe(
          sum(rowsOf(all.map((usage) => callOf(usage, groupRatioOne)))),
        );
      }),
    );
    const [unknown] = rowsOf([callOf({ ...noUsage, input: 3 }, groupRatioOne)]);
    expect(cellsOf(unknown).x_ProviderCost).toBe("");
    expect(focusHead({ name: "", showsCosts: false })).not.toContain("x_ProviderCost");
  });

  test("calls that cost and used nothing have no row", () => {
    expect(rowsOf([callOf(noUsage, groupRatioOne)])).toEqual([]);
  });

  test("costs are exact decimals, prices of tokens are by the million, and names are safe in spreadsheets", () => {
    const [usage, rounding] = rowsOf([callOf({ ...noUsage, input: 3 }, 1_500_000)]);
    expect(cellsOf(usage)).toMatchObject({
      BillingPeriodStart: "2026-11-01T00:00:00Z",
      BillingPeriodEnd: "2026-12-01T00:00:00Z",
      ChargePeriodStart: "2026-11-23T00:00:00Z",
      ChargePeriodEnd: "2026-11-24T00:00:00Z",
      ChargeCategory: "Usage",
      ResourceName: "'=laptop",
      SkuId: "small",
      SkuMeter: "input",
      PricingQuantity: "0.000003",
      PricingUnit: "1000000 Tokens",
      ListUnitPrice: "2.5",
      ListCost: "0.0000075",
      BilledCost: "0.00001125",
      x_GroupRatio: "1.5",
    });
    // Six units.
    expect(cellsOf(rounding)).toMatchObject({
      ChargeCategory: "Adjustment",
      BilledCost: "0.00000075",
      PricingUnit: "",
    });
  });
});
