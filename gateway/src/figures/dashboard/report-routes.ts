/** API routes for the month's report, as figures and as CSV. */

import { roles } from "@tollgate/contract/accounts/roles.ts";
import { readTagKeys } from "@tollgate/contract/accounts/tags.ts";
import type { QueryOf } from "@tollgate/contract/api/endpoint.ts";
import type { KnownCost } from "@tollgate/contract/catalogue/known-cost.ts";
import {
  exportMonthReport,
  getMonthReport,
  type ReportRow,
  reportRowsMax,
} from "@tollgate/contract/figures/reports.ts";
import type { UserStore } from "../../accounts/identity/users/user-store.ts";
import type { TeamSight } from "../../accounts/teams/team-sight.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { createExportStreams, stillAllowed } from "../../http/export-streams.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext, Identify } from "../../http/request-context.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import { isWholeSite } from "../../storage/payer-scope.ts";
import { type KnownCostStore, sumCost } from "./known-cost-store.ts";
import {
  buildMonthSpan,
  type ReportCsvKind,
  reportCsvHead,
  reportCsvLine,
} from "./report-rules.ts";
import { addRest, type ReportStore, type ReportSums } from "./report-store.ts";
import { readRequestedFigures } from "./requested-account.ts";

interface ReportRoutesDeps {
  store: ReportStore;
  costs: KnownCostStore;
  users: UserStore;
  sight: TeamSight;
  options: Pick<OptionReader, "text">;
  identify: Identify;
  clock(): number;
}

/** More users or keys than one gateway has; it bounds the memory of an export. */
const exportedRowsMax = 100_000;
/** Rows that are encoded between two looks at the caller's sign-in. */
const batchRows = 1_000;

export function reportRoutes({
  store,
  costs,
  users,
  sight,
  options,
  identify,
  clock,
}: ReportRoutesDeps): ApiRoute[] {
  const exported = createExportStreams();

  const report = async (
    call: AuthenticatedContext & { query: QueryOf<typeof getMonthReport> },
    limit: number,
  ) => {
    const { month, by, tag_key: tagKey } = call.query;
    if ((by === "tag") !== (tagKey !== undefined)) {
      const message = "tag_key must name the tag of a report by tag, and of no other report";
      throw refuse("invalid_request", { message, fields: { tag_key: message } });
    }
    const { account, team, payer } = await readRequestedFigures(
      { users, sight },
      call.principal,
      call.query,
    );
    if (team && (by === "channel" || by === "tag")) {
      const message = "by must be user, key or model for a team";
      throw refuse("invalid_request", { message, fields: { by: message } });
    }
    if (account && by !== "key" && by !== "model") {
      const message = "by must be key or model for one user";
      throw refuse("invalid_request", { message, fields: { by: message } });
    }
    const span = buildMonthSpan(month, call.now);
    const hasCosts = isWholeSite(payer) && (by === "channel" || by === "model");
    const [found, total, known]: [ReportRow[], ReportSums, Map<string, KnownCost> | undefined] =
      await Promise.all([
        store.rows({ by, tagKey }, span, payer, limit + 1),
        store.total(span, payer),
        hasCosts ? costs.by(by, span, exportedRowsMax) : undefined,
      ]);
    const isCut = found.length > limit;
    const hasRest = by === "tag" || (by === "key" && !isWholeSite(payer));
    const shown = hasRest && !isCut ? addRest(found, total) : found.slice(0, limit);
    const costOf = ({ id, name }: ReportRow) =>
      known?.get(by === "channel" ? String(id) : name) ?? null;
    const rows = known ? shown.map((row) => ({ ...row, cost: costOf(row) })) : shown;
    const cost = known && { cost: sumCost(known.values()) };
    const tag_keys =
      call.principal.role >= roles.admin ? (readTagKeys(options.text("TagKeys")) ?? []) : [];
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
      const csv = buildCsv(month, { by, hasCosts }, rows);
      const body = exported(call.principal.id, csv, stillAllowed(identify, clock, call));
      call.responseHeaders.set(
        "Content-Disposition",
        `attachment; filename="report-${month}-by-${by}.csv"`,
      );
      return body;
    }),
  ];
}

async function* buildCsv(
  month: string,
  kind: ReportCsvKind,
  rows: readonly ReportRow[],
): AsyncGenerator<Uint8Array> {
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
