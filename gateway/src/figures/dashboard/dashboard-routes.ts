/** API routes for the dashboard. */
import {
  getDashboard,
  getDashboardInsight,
  listDashboardUsers,
} from "@tollgate/contract/figures/dashboard.ts";
import type { UserStore } from "../../accounts/identity/users/user-store.ts";
import { viewTeam } from "../../accounts/teams/team-rules.ts";
import type { TeamSight } from "../../accounts/teams/team-sight.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import {
  buildUsageView,
  computeToday,
  findSameTime,
  readRequestedDays,
  readStatusOfSite,
  readStatusOfUser,
} from "./dashboard-rules.ts";
import type { DashboardStore } from "./dashboard-store.ts";
import { buildFinishedDays, buildInsightDay, computePace, listWeek } from "./insight-rules.ts";
import { buildRankedSpan, type InsightStore } from "./insight-store.ts";
import type { KnownCostStore } from "./known-cost-store.ts";
import { type RequestedFigures, readRequestedFigures } from "./requested-account.ts";
import { isTeamPayer } from "./team-days.ts";

const allUsers = { id: "all" as const, uuid: "all", username: "all", display_name: "All Users" };

/** `ofOnePayer` is what the dashboard of an account or a team leaves out. */
const ofOnePayer = { channels: null, model_costs: null, week: null };

interface DashboardDeps {
  store: DashboardStore;
  insight: InsightStore;
  costs: KnownCostStore;
  users: UserStore;
  sight: TeamSight;
}

/** More than the dashboard shows, which are those that were charged most. */
const costedMax = 500;

export function buildDashboardRoutes({
  store,
  insight,
  costs,
  users,
  sight,
}: DashboardDeps): ApiRoute[] {
  const summary = async ({ account, team }: RequestedFigures) => {
    if (team) {
      const { balance: total_quota, debt, status } = viewTeam(team.row, team.standings);
      const used_quota = await store.usedByTeam(team.row.id);
      return {
        total_quota,
        used_quota,
        ...(debt !== null && { debt }),
        status: readStatusOfUser(status),
      };
    }
    if (account) {
      const { balance, used_quota, debt, status } = account;
      return { total_quota: balance, used_quota, debt, status: readStatusOfUser(status) };
    }
    const { all, active, total_quota, used_quota } = await store.site();
    return { total_quota, used_quota, status: readStatusOfSite(active, all) };
  };

  return [
    apiRoute(getDashboard, async ({ principal, query, now }) => {
      const days = readRequestedDays(query.from_date, query.to_date, principal.role, now);
      const requested = await readRequestedFigures({ users, sight }, principal, query);
      const { payer } = requested;
      const endsToday = query.to_date !== undefined && days.last >= computeToday(now);
      const [totals, models, people, tokens, same_time] = await Promise.all([
        summary(requested),
        store.models(days, payer),
        store.users(days, payer),
        store.tokens(days, payer),
        endsToday ? store.sums(findSameTime(now), payer) : null,
      ]);
      const ofUser = ({
        user_id,
        username,
        uuid,
      }: {
        user_id: number;
        username: string;
        uuid: string;
      }) => ({
        Username: username,
        user_id,
        user_uuid: uuid,
      });
      return {
        ...totals,
        same_time,
        logs: models.map((row) => ({ ...buildUsageView(row.day, row), ModelName: row.model_name })),
        user_logs: people.map((row) => ({ ...buildUsageView(row.day, row), ...ofUser(row) })),
        token_logs: tokens.map((row) => ({
          ...buildUsageView(row.day, row),
          ...ofUser(row),
          TokenName: row.token_name,
        })),
      };
    }),
    apiRoute(getDashboardInsight, async ({ principal, query, now }) => {
      const range = readRequestedDays(query.from_date, query.to_date, principal.role, now);
      const { account, team, payer } = await readRequestedFigures(
        { users, sight },
        principal,
        query,
      );
      if (team && isTeamPayer(payer)) {
        const finished = buildFinishedDays(team.row.created_at, now);
        const [days, spent, prompt_marks] = await Promise.all([
          insight.teamDays(range, payer),
          finished.days > 0 ? insight.teamSpending(finished, payer) : 0,
          insight.promptMarks(range, payer),
        ]);
        const pace = computePace(spent, finished.days);
        return { ...ofOnePayer, days: days.map(buildInsightDay), pace, prompt_marks };
      }
      if (account) {
        const finished = buildFinishedDays(account.created_at, now);
        const [days, spent, prompt_marks] = await Promise.all([
          insight.userDays(range, account.id),
          finished.days > 0 ? insight.userSpending(finished, account.id) : 0,
          insight.promptMarks(range, payer),
        ]);
        const pace = computePace(spent, finished.days);
        return { ...ofOnePayer, days: days.map(buildInsightDay), pace, prompt_marks };
      }
      const [days, channels, week, ofChannels, ofModels, prompt_marks] = await Promise.all([
        insight.siteDays(range),
        insight.busiestChannels(range, now),
        insight.siteHours(range),
        costs.by("channel", buildRankedSpan(range), costedMax),
        costs.by("model", { first: range.first, end: range.last + 1 }, costedMax),
        insight.promptMarks(range, payer),
      ]);
      return {
        days: days.map(buildInsightDay),
        pace: null,
        channels: channels.map((one) => ({ ...one, cost: ofChannels.get(String(one.id)) ?? null })),
        model_costs: [...ofModels].map(([model, cost]) => ({ model, cost })),
        prompt_marks,
        week: listWeek(week),
      };
    }),
    apiRoute(listDashboardUsers, async () => [allUsers, ...(await store.people())]),
  ];
}
