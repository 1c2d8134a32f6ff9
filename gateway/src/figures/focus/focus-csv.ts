/**
 * The columns of FOCUS 1.2 (https://focus.finops.org/focus-specification/v1-2/), dataset Cost and
 * Usage. A further version is another table. Pure.
 */

import { readCsvCell } from "@tollgate/contract/figures/log-csv.ts";
import { itemBuckets } from "@tollgate/contract/figures/usage-buckets.ts";
import type { UsageBucket } from "../../money/prices/price.ts";
import type { FocusAdjustment, FocusRow } from "./focus-day.ts";

const dayMs = 86_400_000;
const picoDigits = 12;
const million = 1_000_000n;

/** The site that bills. */
export interface FocusSite {
  name: string;
  /** `showsCosts` says whether the reader may see what the operator pays its providers. */
  showsCosts: boolean;
}

/**
 * Exact, for costs of both signs. Always with a fraction, so that a reader that guesses types takes
 * no column for integers.
 */
function formatDecimal(value: bigint, digits: number): string {
  const text = String(value < 0n ? -value : value).padStart(digits + 1, "0");
  let end = text.length;
  while (end > text.length - digits + 1 && text[end - 1] === "0") end -= 1;
  return `${value < 0n ? "-" : ""}${text.slice(0, -digits)}.${text.slice(-digits, end)}`;
}
/** Tokens or items. */
const whole = (quantity: number): string => `${quantity}.0`;

const formatDollars = (picodollars: bigint): string => formatDecimal(picodollars, picoDigits);
const time = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");
const readMonthStart = (day: number, months: number): string => {
  const date = new Date(day * dayMs);
  return time(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));
};

const items: ReadonlySet<UsageBucket> = new Set(itemBuckets);
/** `itemUnits` are those of items that are not calls of something. */
const itemUnits: Partial<Record<UsageBucket, string>> = {
  images: "Images",
  seconds: "Seconds",
  characters: "Characters",
};
const readUnit = (bucket: UsageBucket): string =>
  items.has(bucket) ? (itemUnits[bucket] ?? "Calls") : "Tokens";
/** Prices of tokens and characters are stated by the million. */
const isByMillion = (bucket: UsageBucket): boolean =>
  ["Tokens", "Characters"].includes(readUnit(bucket));

/** `adjustmentTexts` are in English, because programs read them. */
const adjustmentTexts: Record<FocusAdjustment, string> = {
  rounding: "Rounding of charges to whole quota units",
  other: "Charges that do not follow from usage and unit price",
  rows_deleted: "Calls whose log rows were deleted",
};

type FocusCell = string | undefined;
const findUsage = ({ kind }: FocusRow) => (typeof kind === "string" ? undefined : kind);

interface FocusColumn {
  name: string;
  isText?: true;
  cell(row: FocusRow, site: FocusSite): FocusCell;
}

/**
 * Undefined is null in FOCUS: an empty cell. Texts are made safe for spreadsheets; the other cells
 * are numbers and times of ours.
 */
const columns: readonly FocusColumn[] = [
  { name: "BillingAccountId", isText: true, cell: ({ subject }) => subject.user.id },
  { name: "BillingAccountName", isText: true, cell: ({ subject }) => subject.user.name },
  { name: "SubAccountId", isText: true, cell: ({ subject }) => subject.user.id },
  { name: "SubAccountName", isText: true, cell: ({ subject }) => subject.user.name },
  { name: "BillingPeriodStart", cell: ({ day }) => readMonthStart(day, 0) },
  { name: "BillingPeriodEnd", cell: ({ day }) => readMonthStart(day, 1) },
  { name: "ChargePeriodStart", cell: ({ day }) => time(day * dayMs) },
  { name: "ChargePeriodEnd", cell: ({ day }) => time((day + 1) * dayMs) },
  { name: "ChargeCategory", cell: (row) => (findUsage(row) ? "Usage" : "Adjustment") },
  { name: "ChargeClass", cell: () => undefined },
  { name: "ChargeFrequency", cell: () => "Usage-Based" },
  {
    name: "ChargeDescription",
    isText: true,
    cell: ({ subject, kind }) =>
      typeof kind === "string"
        ? adjustmentTexts[kind]
        : `${subject.model}: ${kind.bucket.replaceAll("_", " ")}`,
  },
  { name: "ProviderName", isText: true, cell: (_, site) => site.name },
  {
    name: "PublisherName",
    isText: true,
    cell: ({ subject }, site) => subject.publisher ?? site.name,
  },
  // The gateway issues no invoices.
  { name: "InvoiceId", cell: () => undefined },
  { name: "InvoiceIssuerName", isText: true, cell: (_, site) => site.name },
  { name: "ServiceCategory", cell: () => "AI and Machine Learning" },
  { name: "ServiceSubcategory", cell: () => "Generative AI" },
  { name: "ServiceName", cell: () => "AI API" },
  { name: "ResourceId", isText: true, cell: ({ subject }) => subject.key?.id },
  { name: "ResourceName", isText: true, cell: ({ subject }) => subject.key?.name || undefined },
  { name: "ResourceType", cell: ({ subject }) => subject.key && "API Key" },
  { name: "SkuId", isText: true, cell: ({ subject }) => subject.model },
  {
    name: "SkuMeter",
    cell: ({ kind, subject }) => (typeof kind === "string" ? subject.model && kind : kind.bucket),
  },
  {
    name: "SkuPriceId",
    isText: true,
    cell: (row) => {
      const usage = findUsage(row);
      return usage && `${row.subject.model}/${usage.bucket}/${usage.rate}`;
    },
  },
  { name: "SkuPriceDetails", cell: () => undefined },
  { name: "PricingCategory", cell: (row) => findUsage(row) && "Standard" },
  {
    name: "PricingQuantity",
    cell: (row) => {
      const usage = findUsage(row);
      if (!usage) return undefined;
      return isByMillion(usage.bucket)
        ? formatDecimal(BigInt(usage.quantity), 6)
        : whole(usage.quantity);
    },
  },
  {
    name: "PricingUnit",
    cell: (row) => {
      const usage = findUsage(row);
      return (
        usage &&
        (isByMillion(usage.bucket) ? `1000000 ${readUnit(usage.bucket)}` : readUnit(usage.bucket))
      );
    },
  },
  {
    name: "ListUnitPrice",
    cell: (row) => {
      const usage = findUsage(row);
      return usage && formatDollars(isByMillion(usage.bucket) ? usage.rate * million : usage.rate);
    },
  },
  {
    name: "ConsumedQuantity",
    cell: (row) => {
      const usage = findUsage(row);
      return usage && whole(usage.quantity);
    },
  },
  {
    name: "ConsumedUnit",
    cell: (row) => {
      const usage = findUsage(row);
      return usage && readUnit(usage.bucket);
    },
  },
  { name: "ListCost", cell: ({ listCost }) => formatDollars(listCost) },
  { name: "ContractedCost", cell: ({ billedCost }) => formatDollars(billedCost) },
  { name: "EffectiveCost", cell: ({ billedCost }) => formatDollars(billedCost) },
  { name: "BilledCost", cell: ({ billedCost }) => formatDollars(billedCost) },
  { name: "BillingCurrency", cell: () => "USD" },
  { name: "Tags", isText: true, cell: ({ subject }) => subject.tags },
  { name: "x_Calls", cell: ({ calls }) => String(calls) },
  {
    name: "x_GroupRatio",
    cell: (row) => {
      const usage = findUsage(row);
      return usage && formatDecimal(BigInt(usage.groupRatio), 6);
    },
  },
];

const columnsWithCosts: readonly FocusColumn[] = [
  ...columns,
  {
    name: "x_ProviderCost",
    cell: (row) => {
      const usage = findUsage(row);
      return usage?.buyingRate === undefined
        ? undefined
        : formatDollars(usage.buyingRate * BigInt(usage.quantity));
    },
  },
];
const listColumns = ({ showsCosts }: FocusSite): readonly FocusColumn[] =>
  showsCosts ? columnsWithCosts : columns;

export const focusHead = (site: FocusSite): string =>
  `${listColumns(site)
    .map(({ name }) => name)
    .join(",")}\r\n`;

export const focusLine = (row: FocusRow, site: FocusSite): string =>
  `${listColumns(site)
    .map(({ cell, isText }) => {
      const value = cell(row, site) ?? "";
      return isText ? readCsvCell(value) : value;
    })
    .join(",")}\r\n`;
