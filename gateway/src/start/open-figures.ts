/**
 * Opens what users read about their calls: the log, traces, the dashboard and reports, and exports.
 */

import { createBudgetStore } from "../accounts/budgets/budget-store.ts";
import type { UserStore } from "../accounts/identity/users/user-store.ts";
import { createTeamSight, type TeamSight } from "../accounts/teams/team-sight.ts";
import { createTeamStore } from "../accounts/teams/team-store.ts";
import type { BodyObjects } from "../call-bodies/body-objects.ts";
import { type BodyStore, createBodyStore } from "../call-bodies/body-store.ts";
import { callBodyRoutes } from "../call-bodies/call-body-routes.ts";
import { buildDashboardRoutes } from "../figures/dashboard/dashboard-routes.ts";
import { createDashboardStore } from "../figures/dashboard/dashboard-store.ts";
import { createInsightStore } from "../figures/dashboard/insight-store.ts";
import { createKnownCostStore } from "../figures/dashboard/known-cost-store.ts";
import { reportRoutes } from "../figures/dashboard/report-routes.ts";
import { reportStore } from "../figures/dashboard/report-store.ts";
import { buildSpendingRoutes } from "../figures/dashboard/spending-routes.ts";
import { createSpendingStore } from "../figures/dashboard/spending-store.ts";
import { focusRoutes } from "../figures/focus/focus-routes.ts";
import { focusStore } from "../figures/focus/focus-store.ts";
import { logRoutes } from "../figures/logs/log-routes.ts";
import { logStore } from "../figures/logs/log-store.ts";
import { runRoutes } from "../figures/runs/run-routes.ts";
import { createRunStore } from "../figures/runs/run-store.ts";
import { buildStatementRoutes } from "../figures/statements/statement-routes.ts";
import { createStatementStore } from "../figures/statements/statement-store.ts";
import { traceRoutes } from "../figures/traces/trace-routes.ts";
import type { ApiRoute } from "../http/api-route.ts";
import { wantsFreshReads } from "../http/fresh-reads.ts";
import type { Identify } from "../http/request-context.ts";
import type { Sealer } from "../secrets/seal.ts";
import type { OptionReader } from "../settings/live-options.ts";
import type { Database } from "../storage/database.ts";

interface FigureDeps {
  db: Database;
  users: UserStore;
  options: OptionReader;
  identify: Identify;
  clock(): number;
  bodyObjects: BodyObjects | undefined;
  seal: Sealer;
  onError(error: unknown): void;
}

/**
 * `buildFigureRoutes` makes the routes that only read twice, with a standby; a user who has just
 * changed something reads from the primary.
 */
export function buildFigureRoutes(deps: FigureDeps): ApiRoute[] {
  const { db, bodyObjects: objects, seal, onError } = deps;
  // From the primary alone: what was deleted must not be read for as long as a standby is behind.
  const bodies = createBodyStore(db);
  const ofBodies = callBodyRoutes({ db, store: bodies, objects, seal, onError });
  // Who left a team sees nothing of it from that moment on, whatever a standby knows.
  const sight = createTeamSight(createTeamStore(db));
  const onPrimary = listRoutesReading(deps, bodies, sight);
  if (!db.replica) return [...ofBodies, ...onPrimary];
  const onReplica = listRoutesReading(
    { ...deps, db: { ...db, read: db.replica.read } },
    bodies,
    sight,
  );
  const either = onPrimary.map((primary, index): ApiRoute => {
    const replica = onReplica[index];
    if (!replica || primary.endpoint.method !== "GET") return primary;
    return {
      ...primary,
      run: (call) => (wantsFreshReads(call.request.headers) ? primary : replica).run(call),
    };
  });
  return [...ofBodies, ...either];
}

function listRoutesReading(
  { db, users, options, identify, clock }: FigureDeps,
  bodies: BodyStore,
  sight: TeamSight,
): ApiRoute[] {
  const logs = logStore(db);
  const costs = createKnownCostStore(db);
  const reports = reportStore(db);
  return [
    ...logRoutes({ db, logs, users, sight, identify, clock }),
    ...traceRoutes({ db, logs, bodies, sight }),
    ...runRoutes({
      db,
      store: createRunStore(db),
      counters: createBudgetStore(db).counters,
      sight,
    }),
    ...buildDashboardRoutes({
      store: createDashboardStore(db),
      insight: createInsightStore(db),
      costs,
      users,
      sight,
    }),
    ...buildSpendingRoutes({ store: createSpendingStore(db), users, sight }),
    ...reportRoutes({ store: reports, costs, users, sight, options, identify, clock }),
    ...buildStatementRoutes({ store: createStatementStore(db), reports, sight, identify, clock }),
    ...focusRoutes({ store: focusStore(db), users, sight, options, identify, clock }),
  ];
}
