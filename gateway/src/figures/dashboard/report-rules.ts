/** Months and the CSV of a month's report. Pure. */
import { readCsvCell } from "@tollgate/contract/figures/log-csv.ts";
import type { ReportKind, ReportRow } from "@tollgate/contract/figures/reports.ts";
import { refuse } from "../../http/refusal.ts";

const dayMs = 86_400_000;

export interface MonthSpan {
  /** UTC days since 1970; the end is exclusive. */
  first: number;
  end: number;
  isFinished: boolean;
}

/** A month that has not begun is refused. */
export function buildMonthSpan(month: string, now: number): MonthSpan {
  const [year = 0, place = 0] = month.split("-").map(Number);
  const firstMs = Date.UTC(year, place - 1, 1);
  const endMs = Date.UTC(year, place, 1);
  if (firstMs > now)
    throw refuse("date_in_future", { fields: { month: "The month cannot be in the future" } });
  return { first: firstMs / dayMs, end: endMs / dayMs, isFinished: endMs <= now };
}

const microsPerUnit = 2n;
const microsDigits = 6;

/** Exact: a unit is two millionths of a dollar. */
export const formatDollarsText = (units: number): string =>
  formatMicrosText(BigInt(units) * microsPerUnit);

function formatMicrosText(micros: bigint): string {
  const digits = String(micros < 0n ? -micros : micros).padStart(microsDigits + 1, "0");
  return `${micros < 0n ? "-" : ""}${digits.slice(0, -microsDigits)}.${digits.slice(-microsDigits)}`;
}

/** `kindHeads` are in English, because programs read them. */
const kindHeads: Record<ReportKind, string> = {
  user: "User",
  key: "Key",
  model: "Model",
  channel: "Channel",
  tag: "Tag",
};
const sumHeads = [
  "Requests",
  "Failed",
  "Prompt Tokens",
  "Cached Prompt Tokens",
  "Completion Tokens",
  "Quota",
  "US Dollars",
];

const costHeads = [
  "Requests of Known Cost",
  "US Dollars of Them",
  "Cost US Dollars",
  "Margin US Dollars",
];

export interface ReportCsvKind {
  by: ReportKind;
  hasCosts: boolean;
}

const deletedName = "(deleted)";
const untaggedName = "(none)";

/** The byte order mark tells spreadsheets that the text is UTF-8. */
export function reportCsvHead({ by, hasCosts }: ReportCsvKind): string {
  const heads = [
    "Month",
    kindHeads[by],
    ...(by === "key" ? ["Owner"] : []),
    ...sumHeads,
    ...(hasCosts ? costHeads : []),
  ];
  return `\ufeff${heads.map(readCsvCell).join(",")}\r\n`;
}

export function reportCsvLine(
  month: string,
  { by, hasCosts }: ReportCsvKind,
  row: ReportRow,
): string {
  const cells = [
    month,
    readCsvCell(row.name || (by === "tag" ? untaggedName : deletedName)),
    ...(by === "key" ? [readCsvCell(row.owner)] : []),
    ...[
      row.requests,
      row.failures,
      row.prompt_tokens,
      row.cached_prompt_tokens,
      row.completion_tokens,
      row.quota,
    ].map(readCsvCell),
    formatDollarsText(row.quota),
    ...(hasCosts ? listCostCells(row.cost) : []),
  ];
  return `${cells.join(",")}\r\n`;
}

/** An unknown cost is an empty cell, never 0. */
function listCostCells(cost: ReportRow["cost"]): string[] {
  if (!cost) return ["0", "", "", ""];
  const { requests, quota, cost_micros } = cost;
  return [
    String(requests),
    formatDollarsText(quota),
    formatMicrosText(BigInt(cost_micros)),
    formatMicrosText(BigInt(quota) * microsPerUnit - BigInt(cost_micros)),
  ];
}
