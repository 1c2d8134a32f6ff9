/** API routes for runs of agents: a run is seen by the rule of its calls. */
import {
  continueRun,
  getRun,
  listOwnRuns,
  listRuns,
  runOpenMs,
  stopRun,
  stopRuns,
} from "@tollgate/contract/figures/runs.ts";
import type { TeamSight } from "../../accounts/teams/team-sight.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext, Principal } from "../../http/request-context.ts";
import type { Database, Write } from "../../storage/database.ts";
import type { PagedRows } from "../../storage/paged-list.ts";
import { type RunSources, readRunDetails } from "./read-run.ts";
import type { NamedRun } from "./run-store.ts";
import { viewRun } from "./run-view.ts";

export function runRoutes({
  db,
  store,
  counters,
  sight,
}: RunSources & { db: Database; sight: TeamSight }): ApiRoute[] {
  /** A run that the caller may not reach is reported as missing. */
  const existing = async (
    run: string,
    principal: Principal,
    may: typeof sight.mayRead,
  ): Promise<NamedRun> => {
    const row = await store.find(run);
    if (!row || !(await may(principal, row))) throw refuse("run_not_found");
    return row;
  };
  const list = ({ rows, ...total }: PagedRows<NamedRun>) => ({ data: rows.map(viewRun), ...total });
  const since = (open: boolean | undefined, now: number) => (open ? now - runOpenMs : undefined);
  /** `auditOf` leaves the acts of owners on their own runs out of the record of changes. */
  const auditOf = (
    call: AuthenticatedContext,
    action: "run.stop" | "run.continue",
    ownerId: number,
    what: string,
  ) => (ownerId === call.principal.id ? [] : call.audit(action, what, {}));
  const change = async (
    call: AuthenticatedContext,
    run: string,
    action: "run.stop" | "run.continue",
    write: Write,
  ) => {
    const row = await existing(run, call.principal, sight.mayChange);
    await db.write([write, ...auditOf(call, action, row.user_id, run)], { changes: ["runs"] });
    return viewRun(await existing(run, call.principal, sight.mayChange));
  };

  return [
    apiRoute(listRuns, async ({ query, now }) =>
      list(await store.page({ user: query.user_id, since: since(query.open, now) }, query)),
    ),
    apiRoute(listOwnRuns, async ({ query, principal, now }) => {
      const payer = await sight.payerOf(principal, query.team_id);
      return list(await store.page({ payer, since: since(query.open, now) }, query));
    }),
    apiRoute(getRun, async ({ params, principal, now }) => {
      return readRunDetails(
        { db, store, counters },
        await existing(params.run, principal, sight.mayRead),
        now,
      );
    }),
    apiRoute(stopRun, (call) =>
      change(call, call.params.run, "run.stop", store.stop(call.params.run, call.now)),
    ),
    apiRoute(continueRun, (call) =>
      change(call, call.params.run, "run.continue", store.continue(call.params.run)),
    ),
    apiRoute(stopRuns, async (call) => {
      const { token_id, user_id = 0 } = call.body;
      const owner =
        token_id === undefined ? { user_id, team_id: null } : await store.ownerOfToken(token_id);
      if (owner === undefined || !(await sight.mayChange(call.principal, owner)))
        throw refuse(token_id === undefined ? "user_not_found" : "token_not_found");
      const whose = token_id === undefined ? { user_id } : { token_id };
      const stop = store.stopOf(whose, call.now - runOpenMs, call.now);
      const what = token_id === undefined ? `user ${user_id}` : `token ${token_id}`;
      const [stopped] = await db.write([stop, ...auditOf(call, "run.stop", owner.user_id, what)], {
        changes: ["runs"],
      });
      return { stopped: stopped?.rows.length ?? 0 };
    }),
  ];
}
