/** Months and the CSV of a month's report. Pure. */
import { csvCell } from "@tollgate/contract/log-csv.ts";
import type { ReportKind, ReportRow } from "@tollgate/contract/reports.ts";
import { refuse } from "../http/refusal.ts";

const dayMs = 86_400_000;

export interface MonthSpan {
  /** UTC days since 1970; the end is exclusive. */
  first: number;
  end: number;
  isFinished: boolean;
}

/** A month that has not begun is refused. */
export function monthSpan(month: string, now: number): MonthSpan {
  const [year = 0, place = 0] = month.split("-").map(Number);
  const firstMs = Date.UTC(year, place - 1, 1);
  const endMs = Date.UTC(year, place, 1);
  if (firstMs > now) throw refuse("date_in_future", { fields: { month: "The month cannot be in the future" } });
  return { first: firstMs / dayMs, end: endMs / dayMs, isFinished: endMs <= now };
}

const microsPerUnit = 2n;
const microsDigits = 6;

/** Exact: a unit is two millionths of a dollar. */
export function dollarsText(units: number): string {
  const micros = BigInt(units) * microsPerUnit;
  const digits = String(micros < 0n ? -micros : micros).padStart(microsDigits + 1, "0");
  return `${micros < 0n ? "-" : ""}${digits.slice(0, -microsDigits)}.${digits.slice(-microsDigits)}`;
}

/** In English, because programs read them. */
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

const deletedName = "(deleted)";
const untaggedName = "(none)";

/** The byte order mark tells spreadsheets that the text is UTF-8. */
export function reportCsvHead(by: ReportKind): string {
  const heads = ["Month", kindHeads[by], ...(by === "key" ? ["Owner"] : []), ...sumHeads];
  return `\ufeff${heads.map(csvCell).join(",")}\r\n`;
}

export function reportCsvLine(month: string, by: ReportKind, row: ReportRow): string {
  const cells = [
    month,
    csvCell(row.name || (by === "tag" ? untaggedName : deletedName)),
    ...(by === "key" ? [csvCell(row.owner)] : []),
    ...[row.requests, row.failures, row.prompt_tokens, row.cached_prompt_tokens, row.completion_tokens, row.quota].map(
      csvCell,
    ),
    dollarsText(row.quota),
  ];
  return `${cells.join(",")}\r\n`;
}
