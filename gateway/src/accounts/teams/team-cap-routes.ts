/** API routes for the caps of a team's members, and for the budgets that bind the team. */
import { grantMemberCap } from "@tollgate/contract/accounts/budget-grants.ts";
import {
  createMemberCap,
  createTeamCap,
  listTeamBudgets,
  listTeamCaps,
  removeMemberCap,
  removeTeamCap,
  updateMemberCap,
  updateTeamCap,
} from "@tollgate/contract/accounts/team-caps.ts";
import type { BodyOf, QueryOf } from "@tollgate/contract/api/endpoint.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { idempotent } from "../../http/idempotency.ts";
import { checkUnmanaged } from "../../http/managed-by-file.ts";
import { buildMemberChanges } from "../../http/member-changes.ts";
import { refuse } from "../../http/refusal.ts";
import type { Write } from "../../storage/database.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { changeBudget, changeTerms } from "../budgets/budget-rules.ts";
import type { BudgetStore, NamedBudgetRow } from "../budgets/budget-store.ts";
import { planTemplateUpdate } from "../budgets/budget-template-store.ts";
import { createBudgetViewer } from "../budgets/budget-viewer.ts";
import { planGrant } from "../budgets/grant-budget.ts";
import { checkByHand, type RulingProviders } from "../ruling-providers.ts";
import { type ReachedTeam, reachTeam, type TeamCall, type TeamDeps } from "./reach-team.ts";
import {
  buildMemberCap,
  buildTeamCap,
  followCap,
  viewTeamBudget,
  viewTeamCap,
} from "./team-cap-rules.ts";
import type { TeamCapRow, TeamCapStore } from "./team-cap-store.ts";
import { checkMayDo, mayDo, type TeamStanding } from "./team-rules.ts";

/** A cap of a file is switched on and off, and taken over with its team. */
const capSwitches: ReadonlySet<string> = new Set(["enabled", "updated_at"]);

interface TeamCapDeps extends Pick<TeamDeps, "db" | "teams" | "options"> {
  ruling: RulingProviders;
  caps: TeamCapStore;
  budgets: BudgetStore;
}

/** `findCapChanges` names the cap beside what changed of it: the entry itself names the team. */
function findCapChanges<Row extends { name: string }>(
  before: Row,
  after: Parameters<typeof buildMemberChanges<Row>>[1],
): Record<string, unknown> {
  const { name: cap = before.name, ...changes } = buildMemberChanges(before, after);
  return { ...changes, cap };
}

type CallOf<Body> = TeamCall & { body: Body };

export function buildTeamCapRoutes({
  db,
  teams,
  caps,
  budgets,
  options,
  ruling,
}: TeamCapDeps): ApiRoute[] {
  const viewBudgets = createBudgetViewer(db, budgets);
  const siteZone = () => options.text("BudgetTimeZone");
  const write = (batch: Write[]) => db.write(batch, { changes: ["budgets"] });
  const manage = async (call: TeamCall): Promise<ReachedTeam> => {
    const reached = await reachTeam({ teams }, call, call.params.id);
    checkMayDo(reached.standings, "manage");
    return reached;
  };
  const existingCap = async (
    teamId: number,
    cap: { id: number } | { uuid: string },
  ): Promise<TeamCapRow> => {
    const found = await caps.find(teamId, cap);
    if (!found) throw refuse("team_cap_not_found");
    return found;
  };
  const existingBudget = async (teamId: number, id: number): Promise<NamedBudgetRow> => {
    const found = await budgets.findOfMember(teamId, id);
    if (!found) throw refuse("budget_not_found");
    return found;
  };
  /** A forecast reads sums of its own for each budget: a list of all members has none. */
  const view = async (
    rows: readonly NamedBudgetRow[],
    standings: readonly TeamStanding[],
    now: number,
  ) => {
    const isOfAll = mayDo(standings, "see") && rows.length > 1;
    const shown = await viewBudgets(rows, now, ({ subject }) => !isOfAll || subject === "team");
    return rows.flatMap((row, index) => {
      const budget = shown[index];
      return budget === undefined ? [] : [viewTeamBudget(budget, row, standings, ruling)];
    });
  };
  const viewOne = async ({ row, standings }: ReachedTeam, id: number, now: number) => {
    const [shown] = await view([await existingBudget(row.id, id)], standings, now);
    if (!shown) throw refuse("budget_not_found");
    return shown;
  };

  /**
   * A member sees the own caps, and the budgets of the team where members may see what the team has
   * left.
   */
  const list = async (call: TeamCall & { query: QueryOf<typeof listTeamBudgets> }) => {
    const { row, standings } = await reachTeam({ teams }, call, call.params.id);
    const seesAll = mayDo(standings, "see");
    const filter = seesAll
      ? call.query
      : { subject: "member" as const, user_id: call.principal.id };
    const { rows, ...total } = await budgets.pageOfTeam(row.id, filter, call.query);
    return { data: await view(rows, standings, call.now), ...total };
  };

  const create = async (call: CallOf<BodyOf<typeof createTeamCap>>) => {
    const { row, standings } = await manage(call);
    const uuid = await idempotent(db, call, {
      name: "team.create_cap",
      body: { team: row.uuid, ...call.body },
      async create(remember) {
        const columns = buildTeamCap(row.id, call.body, readUuid7(call.now), call.now, siteZone());
        const { uuid: made, name: cap, window, amount } = columns;
        const audits = call.audit("team.create_cap", row.uuid, {
          name: row.name,
          cap,
          window,
          amount,
        });
        await write([...caps.insert(columns), ...audits, ...remember(made)]);
        return made;
      },
    });
    return viewTeamCap(await existingCap(row.id, { uuid }), standings);
  };

  const change = async (call: CallOf<BodyOf<typeof updateTeamCap>>) => {
    const { row, standings } = await manage(call);
    const { cap_id, ...edit } = call.body;
    const cap = await existingCap(row.id, { id: cap_id });
    if (Object.keys(edit).some((name) => !capSwitches.has(name))) checkUnmanaged(cap);
    const changed = changeTerms(cap, { id: { id: cap_id }, ...edit }, call.now);
    const audits = call.audit("team.update_cap", row.uuid, {
      ...findCapChanges(cap, changed.terms),
      name: row.name,
    });
    await write([...planTemplateUpdate(db, cap, changed), ...audits]);
    return viewTeamCap(await existingCap(row.id, { id: cap_id }), standings);
  };

  const remove = async (call: CallOf<BodyOf<typeof removeTeamCap>>): Promise<void> => {
    const { row } = await manage(call);
    const cap = await existingCap(row.id, { id: call.body.cap_id });
    checkUnmanaged(cap);
    const audits = call.audit("team.remove_cap", row.uuid, { name: row.name, cap: cap.name });
    await write([...caps.remove(cap), ...audits]);
  };

  const createOwn = async (call: CallOf<BodyOf<typeof createMemberCap>>) => {
    const reached = await manage(call);
    const { row } = reached;
    const { user_id, ...input } = call.body;
    const uuid = await idempotent(db, call, {
      name: "team.create_member_cap",
      body: { team: row.uuid, ...call.body },
      async create(remember) {
        const member = await teams.member(row.id, user_id);
        if (member?.left_at !== null) throw refuse("team_member_not_found");
        const columns = buildMemberCap(member.id, input, readUuid7(call.now), call.now, siteZone());
        const { uuid: made, name: cap, window, amount } = columns;
        const told = { name: row.name, user: member.username, cap, window, amount };
        const audits = call.audit("team.create_member_cap", row.uuid, told);
        await write([budgets.insert(columns), ...audits, ...remember(made)]);
        return made;
      },
    });
    const made = await budgets.find({ uuid });
    return viewOne(reached, made?.id ?? 0, call.now);
  };

  const changeOwn = async (call: CallOf<BodyOf<typeof updateMemberCap>>) => {
    const reached = await manage(call);
    const { row } = reached;
    const { budget_id, follow, ...edit } = call.body;
    const budget = await existingBudget(row.id, budget_id);
    checkByHand(ruling, budget.ruled_by);
    const cap = follow === true ? await existingCap(row.id, { id: budget.cap_id ?? 0 }) : undefined;
    if (edit.updated_at !== undefined && edit.updated_at !== budget.updated_at)
      throw refuse("changed_meanwhile");
    const columns =
      cap === undefined
        ? changeBudget(budget, { id: { id: budget_id }, ...edit }, call.now)
        : followCap(budget, cap, call.now);
    const audits = call.audit("team.update_member_cap", row.uuid, {
      ...findCapChanges(budget, columns),
      ...{ name: row.name, user: budget.username },
    });
    const unchanged = cap === undefined ? [] : [caps.requireUnchanged(cap)];
    await write([...unchanged, budgets.update(budget, columns), ...audits]);
    return viewOne(reached, budget_id, call.now);
  };

  /** `grantOwn` changes no terms of a cap, so that a provider may decide these. */
  const grantOwn = async (call: CallOf<BodyOf<typeof grantMemberCap>>) => {
    const reached = await manage(call);
    const { row } = reached;
    const { budget_id, ...grant } = call.body;
    const budget = await existingBudget(row.id, budget_id);
    await idempotent(db, call, {
      name: "team.grant_member_cap",
      body: { team: row.uuid, ...call.body },
      async create(remember) {
        const planned = planGrant(db, budget, grant, call.now);
        const { name: cap, ...facts } = planned.told;
        const told = { name: row.name, user: budget.username, cap, ...facts };
        await write([
          ...planned.writes,
          ...call.audit("team.grant_member_cap", row.uuid, told),
          ...remember(budget.uuid),
        ]);
        return budget.uuid;
      },
    });
    return viewOne(reached, budget_id, call.now);
  };

  const removeOwn = async (call: CallOf<BodyOf<typeof removeMemberCap>>): Promise<void> => {
    const { row } = await manage(call);
    const budget = await existingBudget(row.id, call.body.budget_id);
    checkByHand(ruling, budget.ruled_by);
    const told = { name: row.name, user: budget.username, cap: budget.name };
    await write([budgets.remove(budget), ...call.audit("team.remove_member_cap", row.uuid, told)]);
  };

  return [
    apiRoute(listTeamBudgets, list),
    apiRoute(listTeamCaps, async (call) => {
      const { row, standings } = await reachTeam({ teams }, call, call.params.id);
      checkMayDo(standings, "see");
      return (await caps.all(row.id)).map((cap) => viewTeamCap(cap, standings));
    }),
    apiRoute(createTeamCap, create),
    apiRoute(updateTeamCap, change),
    apiRoute(removeTeamCap, remove),
    apiRoute(createMemberCap, createOwn),
    apiRoute(updateMemberCap, changeOwn),
    apiRoute(grantMemberCap, grantOwn),
    apiRoute(removeMemberCap, removeOwn),
  ];
}
