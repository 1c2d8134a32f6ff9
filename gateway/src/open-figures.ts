/** Opens what users read about their calls: the log, traces, the dashboard and reports, and exports. */
import type { BodyObjects } from "./call-bodies/body-objects.ts";
import { type BodyStore, bodyStore } from "./call-bodies/body-store.ts";
import { callBodyRoutes } from "./call-bodies/call-body-routes.ts";
import { dashboardRoutes } from "./dashboard/dashboard-routes.ts";
import { dashboardStore } from "./dashboard/dashboard-store.ts";
import { insightStore } from "./dashboard/insight-store.ts";
import { knownCostStore } from "./dashboard/known-cost-store.ts";
import { reportRoutes } from "./dashboard/report-routes.ts";
import { reportStore } from "./dashboard/report-store.ts";
import { focusRoutes } from "./focus/focus-routes.ts";
import { focusStore } from "./focus/focus-store.ts";
import type { ApiRoute } from "./http/api-route.ts";
import { wantsFreshReads } from "./http/fresh-reads.ts";
import type { Identify } from "./http/request-context.ts";
import type { UserStore } from "./identity/users/user-store.ts";
import { logRoutes } from "./logs/log-routes.ts";
import { logStore } from "./logs/log-store.ts";
import type { Sealer } from "./secrets/seal.ts";
import type { OptionReader } from "./settings/live-options.ts";
import type { Database } from "./storage/database.ts";
import { traceRoutes } from "./traces/trace-routes.ts";

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

/** With a standby, what only reads is there twice; who has just changed something reads from the primary. */
export function figureRoutes(deps: FigureDeps): ApiRoute[] {
  const { db, bodyObjects: objects, seal, onError } = deps;
  // From the primary alone: what was deleted must not be read for as long as a standby is behind.
  const bodies = bodyStore(db);
  const ofBodies = callBodyRoutes({ db, store: bodies, objects, seal, onError });
  const onPrimary = routesReading(deps, bodies);
  if (!db.replica) return [...ofBodies, ...onPrimary];
  const onReplica = routesReading({ ...deps, db: { ...db, read: db.replica.read } }, bodies);
  const either = onPrimary.map((primary, index): ApiRoute => {
    const replica = onReplica[index];
    if (!replica || primary.endpoint.method !== "GET") return primary;
    return { ...primary, run: (call) => (wantsFreshReads(call.request.headers) ? primary : replica).run(call) };
  });
  return [...ofBodies, ...either];
}

function routesReading({ db, users, options, identify, clock }: FigureDeps, bodies: BodyStore): ApiRoute[] {
  const logs = logStore(db);
  const costs = knownCostStore(db);
  return [
    ...logRoutes({ db, logs, users, identify, clock }),
    ...traceRoutes(db, logs, bodies),
    ...dashboardRoutes({ store: dashboardStore(db), insight: insightStore(db), costs, users }),
    ...reportRoutes({ store: reportStore(db), costs, users, options, identify, clock }),
    ...focusRoutes({ store: focusStore(db), users, options, identify, clock }),
  ];
}
