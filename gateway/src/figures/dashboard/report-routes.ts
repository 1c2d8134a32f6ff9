/** API routes for the month's report, as figures and as CSV. */
import type { QueryOf } from "@tollgate/contract/endpoint.ts";
import type { KnownCost } from "@tollgate/contract/known-cost.ts";
import { exportMonthReport, getMonthReport, type ReportRow, reportRowsMax } from "@tollgate/contract/reports.ts";
import { roles } from "@tollgate/contract/roles.ts";
import { readTagKeys } from "@tollgate/contract/tags.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import { createExportStreams, stillAllowed } from "../http/export-streams.ts";
import { refuse } from "../http/refusal.ts";
import type { AuthenticatedContext, Identify } from "../http/request-context.ts";
import type { UserStore } from "../identity/users/user-store.ts";
import type { OptionReader } from "../settings/live-options.ts";
import { type KnownCostStore, summedCost } from "./known-cost-store.ts";
import { monthSpan, type ReportCsvKind, reportCsvHead, reportCsvLine } from "./report-rules.ts";
import { type ReportStore, type ReportSums, withRest } from "./report-store.ts";
import { requestedAccount } from "./requested-account.ts";

interface ReportRoutesDeps {
  store: ReportStore;
  costs: KnownCostStore;
  users: UserStore;
  options: Pick<OptionReader, "text">;
  identify: Identify;
  clock(): number;
}

/** More users or keys than one gateway has; it bounds the memory of an export. */
const exportedRowsMax = 100_000;
/** Rows that are encoded between two looks at the caller's sign-in. */
const batchRows = 1_000;

export function reportRoutes({ store, costs, users, options, identify, clock }: ReportRoutesDeps): ApiRoute[] {
  const exported = createExportStreams();

  const report = async (call: AuthenticatedContext & { query: QueryOf<typeof getMonthReport> }, limit: number) => {
    const { month, by, tag_key: tagKey, user_id } = call.query;
    if ((by === "tag") !== (tagKey !== undefined)) {
      const message = "tag_key must name the tag of a report by tag, and of no other report";
      throw refuse("invalid_request", { message, fields: { tag_key: message } });
    }
    const account = await requestedAccount(users, call.principal, user_id);
    if (account && by !== "key" && by !== "model") {
      const message = "by must be key or model for one user";
      throw refuse("invalid_request", { message, fields: { by: message } });
    }
    const span = monthSpan(month, call.now);
    const hasCosts = account === undefined && (by === "channel" || by === "model");
    const [found, total, known]: [ReportRow[], ReportSums, Map<string, KnownCost> | undefined] = await Promise.all([
      store.rows({ by, tagKey }, span, account?.id, limit + 1),
      store.total(span, account?.id),
      hasCosts ? costs.by(by, span, exportedRowsMax) : undefined,
    ]);
    const isCut = found.length > limit;
    const hasRest = by === "tag" || (by === "key" && account !== undefined);
    const shown = hasRest && !isCut ? withRest(found, total) : found.slice(0, limit);
    const costOf = ({ id, name }: ReportRow) => known?.get(by === "channel" ? String(id) : name) ?? null;
    const rows = known ? shown.map((row) => ({ ...row, cost: costOf(row) })) : shown;
    const cost = known && { cost: summedCost(known.values()) };
    const tag_keys = call.principal.role >= roles.admin ? (readTagKeys(options.text("TagKeys")) ?? []) : [];
    return {
      month,
      by,
      is_finished: span.isFinished,
      rows,
      is_cut: isCut,
      total: { ...total, ...cost },
      tag_keys,
      hasCosts,
    };
  };

  return [
    apiRoute(getMonthReport, (call) => report(call, reportRowsMax)),
    apiRoute(exportMonthReport, async (call) => {
      const { month, by } = call.query;
      const { rows, hasCosts } = await report(call, exportedRowsMax);
      const csv = csvOf(month, { by, hasCosts }, rows);
      const body = exported(call.principal.id, csv, stillAllowed(identify, clock, call));
      call.responseHeaders.set("Content-Disposition", `attachment; filename="report-${month}-by-${by}.csv"`);
      return body;
    }),
  ];
}

async function* csvOf(month: string, kind: ReportCsvKind, rows: readonly ReportRow[]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(reportCsvHead(kind));
  for (let start = 0; start < rows.length; start += batchRows)
    yield encoder.encode(
      rows
        .slice(start, start + batchRows)
        .map((row) => reportCsvLine(month, kind, row))
        .join(""),
    );
}
