/** API routes for the statement of a team's month, as figures and as CSV. */
import type { QueryOf } from "@tollgate/contract/api/endpoint.ts";
import {
  exportTeamStatement,
  getTeamStatement,
  type TeamStatement,
} from "@tollgate/contract/figures/team-statement.ts";
import type { TeamCall } from "../../accounts/teams/reach-team.ts";
import { checkMayDo } from "../../accounts/teams/team-rules.ts";
import type { TeamSight } from "../../accounts/teams/team-sight.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { createExportStreams, stillAllowed } from "../../http/export-streams.ts";
import { refuse } from "../../http/refusal.ts";
import type { Identify } from "../../http/request-context.ts";
import { buildMonthSpan } from "../dashboard/report-rules.ts";
import type { ReportStore } from "../dashboard/report-store.ts";
import { buildStatement, formatStatementCsv } from "./statement-rules.ts";
import type { StatementStore } from "./statement-store.ts";

interface StatementRoutesDeps {
  store: StatementStore;
  reports: Pick<ReportStore, "rows">;
  sight: TeamSight;
  identify: Identify;
  clock(): number;
}

type StatementCall = TeamCall & { query: QueryOf<typeof getTeamStatement> };

/** More keys than one team has; it bounds the memory of a statement. */
const keysMax = 20_000;

const formatMonthText = (at: number): string =>
  new Date(at).toISOString().slice(0, "2026-11".length);

export function buildStatementRoutes(deps: StatementRoutesDeps): ApiRoute[] {
  const { store, reports, sight, identify, clock } = deps;
  const exported = createExportStreams();

  /** The wallet is of all: who sees the own rows of a team alone gets no part of it. */
  const readStatement = async (call: StatementCall): Promise<TeamStatement> => {
    const { team } = await sight.rowsOf(call.principal, call.params.id);
    if (!team) throw refuse("team_not_found");
    checkMayDo(team.standings, "see");
    const month = call.query.month ?? formatMonthText(call.now);
    const span = buildMonthSpan(month, call.now);
    const { id: teamId, wallet_id } = team.row;
    // Before the calls are added up: a call that ends meanwhile may be missing here, and then
    // stands without a name rather than beyond the sum.
    const keys = await reports.rows({ by: "key" }, span, { teamId }, keysMax);
    const [moves, spentBefore, calls] = await Promise.all([
      store.listMoves(wallet_id, span),
      store.readSpentBefore(teamId, span),
      store.listCalls(teamId, span),
    ]);
    const { isFinished } = span;
    return buildStatement({ month, isFinished, moves, spentBefore, calls, keys });
  };

  return [
    apiRoute(getTeamStatement, readStatement),
    apiRoute(exportTeamStatement, async (call) => {
      const statement = await readStatement(call);
      const body = exported(
        call.principal.id,
        encodeOnce(formatStatementCsv(statement)),
        stillAllowed(identify, clock, call),
      );
      call.responseHeaders.set(
        "Content-Disposition",
        `attachment; filename="statement-${statement.month}.csv"`,
      );
      return body;
    }),
  ];
}

async function* encodeOnce(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
