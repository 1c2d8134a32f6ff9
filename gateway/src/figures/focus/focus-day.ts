/**
 * Sums the calls of one day to rows of a FOCUS export. All amounts are integers of picodollars.
 * Pure.
 */
import { type PricedUsage, readLoggedUsage } from "../../money/audit/explain-log.ts";
import {
  addCallFee,
  buckets,
  buildRates,
  chooseRate,
  type FrozenPrice,
  groupRatioOne,
  isUsed,
  picodollarsPerUnit,
  thawPrice,
  type UsageBucket,
} from "../../money/prices/price.ts";
import type { LogRow } from "../../storage/tables/call-tables.ts";

/** `FocusSubject` says whose calls, with which key, of which model, and who made the model. */
export interface FocusSubject {
  user: { id: string; name: string };
  /** Undefined where log rows are gone. */
  key: { id: string; name: string } | undefined;
  model: string | undefined;
  publisher: string | undefined;
  /** A JSON object of the tags that are counted. */
  tags: string | undefined;
}

/** Usage at one rate and one ratio. */
interface FocusUsage {
  bucket: UsageBucket;
  /** Picodollars per token or item. */
  rate: bigint;
  /** Millionths. */
  groupRatio: number;
  /** Tokens or items. */
  quantity: number;
  /** Picodollars that the operator pays for each; undefined where it is unknown. */
  buyingRate: bigint | undefined;
}

/**
 * `FocusAdjustment` is what the charge is beside its usage: `rounding` to whole units, `other` than
 * by usage, and calls without a log row.
 */
export type FocusAdjustment = "rounding" | "other" | "rows_deleted";

export interface FocusRow {
  day: number;
  subject: FocusSubject;
  calls: number;
  kind: FocusUsage | FocusAdjustment;
  /** `listCost` is at ratio 1. */
  listCost: bigint;
  billedCost: bigint;
}

export interface FocusCall {
  subject: FocusSubject;
  log: Pick<LogRow, "quota"> & PricedUsage;
}

interface SubjectSums {
  subject: FocusSubject;
  calls: number;
  /** Quota units. */
  charged: number;
  usages: Map<string, FocusUsage & { calls: number }>;
}

/**
 * The sum of `billedCost` over the rows of a subject is exactly what its calls were charged: what
 * usage at its rates does not add up to is a row of its own.
 */
export function sumFocusCalls(day: number) {
  let sums = new Map<string, SubjectSums>();
  let rowCount = 0;

  function countUsage(usages: SubjectSums["usages"], counted: FocusUsage): void {
    const key = `${counted.bucket} ${counted.rate} ${counted.groupRatio} ${counted.buyingRate ?? ""}`;
    const found = usages.get(key);
    if (found) {
      found.quantity += counted.quantity;
      found.calls += 1;
      return;
    }
    usages.set(key, { ...counted, calls: 1 });
    rowCount += 1;
  }

  return {
    /** Rows so far, at least. */
    size: () => rowCount + sums.size,

    /** Calls that used nothing and were charged nothing, such as failed ones, are left out. */
    add({ subject, log }: FocusCall): void {
      const usages = listUsages(log);
      if (usages.length === 0 && log.quota === 0) return;
      const key = JSON.stringify([
        subject.user.id,
        subject.key?.id,
        subject.model,
        subject.publisher,
        subject.tags,
      ]);
      let found = sums.get(key);
      if (!found) {
        found = { subject, calls: 0, charged: 0, usages: new Map() };
        sums.set(key, found);
      }
      found.calls += 1;
      found.charged += log.quota;
      for (const usage of usages) countUsage(found.usages, usage);
    },

    /** The rows, and starts anew. */
    take(): FocusRow[] {
      const rows = [...sums.values()].flatMap((sum) => listRows(day, sum));
      sums = new Map();
      rowCount = 0;
      return rows;
    },
  };
}

function listUsages(log: FocusCall["log"]): FocusUsage[] {
  if (log.price === null) return [];
  const price = JSON.parse(log.price) as FrozenPrice;
  const buying = price.buying && thawPrice(price.buying);
  const charged = readLoggedUsage(log, price);
  const usage = buying && isUsed(charged) ? addCallFee(charged, buying) : charged;
  const rates = buildRates(thawPrice(price), charged);
  const paid = buying && buildRates(buying, charged);
  return buckets.flatMap((bucket): FocusUsage[] => {
    const quantity = usage[bucket] ?? 0;
    if (quantity <= 0) return [];
    const buyingRate = paid && chooseRate(paid, bucket);
    return [
      {
        bucket,
        rate: chooseRate(rates, bucket),
        groupRatio: price.group_ratio,
        quantity,
        buyingRate,
      },
    ];
  });
}

function listRows(day: number, { subject, calls, charged, usages }: SubjectSums): FocusRow[] {
  let rest = BigInt(charged) * picodollarsPerUnit;
  const rows = [...usages.values()].map(({ calls: callsWithUsage, ...usage }): FocusRow => {
    const listCost = usage.rate * BigInt(usage.quantity);
    const billedCost = (listCost * BigInt(usage.groupRatio)) / BigInt(groupRatioOne);
    rest -= billedCost;
    return { day, subject, calls: callsWithUsage, kind: usage, listCost, billedCost };
  });
  if (rest === 0n) return rows;
  // A charge is rounded up to a whole unit; each usage here was rounded down by less than a
  // picodollar.
  const isRounding = rest > 0n && rest < BigInt(calls) * picodollarsPerUnit + BigInt(rows.length);
  return [
    ...rows,
    adjustment(day, { subject, calls, kind: isRounding ? "rounding" : "other", cost: rest }),
  ];
}

/** `adjustment` is a bill beside usage: it has no list price, and costs the same there. */
export const adjustment = (
  day: number,
  {
    subject,
    calls,
    kind,
    cost,
  }: { subject: FocusSubject; calls: number; kind: FocusAdjustment; cost: bigint },
): FocusRow => ({ day, subject, calls, kind, listCost: cost, billedCost: cost });
