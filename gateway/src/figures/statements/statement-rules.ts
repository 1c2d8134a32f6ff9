/** The statement of a team's month: how its sums come about, and its CSV. Pure. */
import { readCsvCell } from "@tollgate/contract/figures/log-csv.ts";
import type { ReportRow } from "@tollgate/contract/figures/reports.ts";
import {
  type StatementKind,
  type StatementLine,
  statementKinds,
  type TeamStatement,
} from "@tollgate/contract/figures/team-statement.ts";
import type { LedgerRow } from "../../storage/tables/money-tables.ts";
import { formatDollarsText } from "../dashboard/report-rules.ts";
import { addRest } from "../dashboard/report-store.ts";
import type { MemberModelSums, StatementMove } from "./statement-store.ts";

/**
 * `ListedKind` leaves out what calls are charged, which the roll-up adds up, what a debt is paid
 * with, which moves nothing, and what an import says was used before.
 */
type ListedKind = Exclude<LedgerRow["kind"], "charge" | "debt" | "debt_payment" | "opening_use">;

/** `kindOf` are the kinds of entries of the ledger by what a reader calls them. */
const kindOf: Readonly<Record<ListedKind, StatementKind>> = {
  transfer: "transfer",
  redemption: "redemption",
  grant: "grant",
  adjustment: "adjustment",
  opening: "opening",
  opening_debt: "opening",
  debt_waiver: "waiver",
  shortfall: "waiver",
};

interface StatementFacts {
  month: string;
  isFinished: boolean;
  moves: readonly StatementMove[];
  spentBefore: number;
  calls: readonly MemberModelSums[];
  /** `keys` come without those that were deleted. */
  keys: readonly ReportRow[];
}

const sumQuota = (rows: readonly { quota: number }[]): number =>
  rows.reduce((sum, { quota }) => sum + quota, 0);

const signOf = { in: 1, out: -1 } as const;

/** An entry of a kind that is not known here is a mistake: the sums would not agree. */
function readKind({ kind }: StatementMove): StatementKind {
  if (!isListed(kind)) throw new Error(`a statement has no line for ${kind}`);
  return kindOf[kind];
}

const isListed = (kind: string): kind is ListedKind => Object.hasOwn(kindOf, kind);

function listLines(moves: readonly StatementMove[]): StatementLine[] {
  return statementKinds.flatMap((kind) => {
    const found = moves.filter((move) => readKind(move) === kind);
    const entries = found.reduce((sum, move) => sum + move.entries, 0);
    return entries === 0 ? [] : [{ kind, entries, quota: sumQuota(found) }];
  });
}

/** The sums of calls by what `nameOf` makes of them, those that cost most first. */
function foldCalls(
  calls: readonly MemberModelSums[],
  nameOf: (call: MemberModelSums) => { id: number; name: string },
): ReportRow[] {
  const rows = new Map<string, ReportRow>();
  for (const call of calls) {
    const { id, name } = nameOf(call);
    const key = `${id} ${name}`;
    const row = rows.get(key);
    rows.set(key, {
      ...{ id, name, owner: "" },
      requests: call.requests + (row?.requests ?? 0),
      failures: call.failures + (row?.failures ?? 0),
      prompt_tokens: call.prompt_tokens + (row?.prompt_tokens ?? 0),
      cached_prompt_tokens: call.cached_prompt_tokens + (row?.cached_prompt_tokens ?? 0),
      completion_tokens: call.completion_tokens + (row?.completion_tokens ?? 0),
      quota: call.quota + (row?.quota ?? 0),
    });
  }
  return [...rows.values()].sort(
    (one, other) => other.quota - one.quota || one.name.localeCompare(other.name),
  );
}

export function buildStatement(facts: StatementFacts): TeamStatement {
  const { month, isFinished, moves, spentBefore, calls, keys } = facts;
  const before = moves.filter(({ is_before }) => is_before === 1);
  const within = moves.filter(({ is_before }) => is_before === 0);
  const received = listLines(within.filter(({ direction }) => direction === "in"));
  const given = listLines(within.filter(({ direction }) => direction === "out"));
  const [total] = foldCalls(calls, () => ({ id: 0, name: "" }));
  const spent = total?.quota ?? 0;
  const opening =
    before.reduce((sum, { direction, quota }) => sum + signOf[direction] * quota, 0) - spentBefore;
  return {
    month,
    is_finished: isFinished,
    opening_balance: opening,
    received,
    given,
    spent,
    closing_balance: opening + sumQuota(received) - sumQuota(given) - spent,
    members: foldCalls(calls, ({ user_id, username }) => ({ id: user_id, name: username ?? "" })),
    keys: total === undefined ? [] : addRest(keys, total),
    models: foldCalls(calls, ({ model_name }) => ({ id: 0, name: model_name })),
  };
}

/** In English, because programs read them. */
const csvHeads = ["Month", "Part", "Name", "Owner", "Count", "Quota", "US Dollars"];
const servicesName = "(services)";
const deletedName = "(deleted)";

/** The byte order mark tells spreadsheets that the text is UTF-8. */
export function formatStatementCsv(statement: TeamStatement): string {
  const line = (part: string, name: string, owner: string, count: number | "", quota: number) => {
    const cells = [statement.month, part, name, owner, count].map(readCsvCell);
    return `${[...cells, String(quota), formatDollarsText(quota)].join(",")}\r\n`;
  };
  const spent = (part: string, rows: readonly ReportRow[], nameless: string) =>
    rows.map(({ name, owner, requests, quota }) =>
      line(part, name || nameless, owner, requests, quota),
    );
  return [
    `\ufeff${csvHeads.map(readCsvCell).join(",")}\r\n`,
    line("opening balance", "", "", "", statement.opening_balance),
    ...statement.received.map(({ kind, entries, quota }) =>
      line("received", kind, "", entries, quota),
    ),
    ...statement.given.map(({ kind, entries, quota }) => line("given", kind, "", entries, -quota)),
    line("spent", "", "", "", -statement.spent),
    line("closing balance", "", "", "", statement.closing_balance),
    ...spent("spent by member", statement.members, servicesName),
    ...spent("spent by key", statement.keys, deletedName),
    ...spent("spent by model", statement.models, deletedName),
  ].join("");
}
