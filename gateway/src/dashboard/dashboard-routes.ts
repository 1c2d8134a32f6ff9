/** API routes for the dashboard. */
import { getDashboard, getDashboardInsight, listDashboardUsers } from "@tollgate/contract/dashboard.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import type { UserAccount, UserStore } from "../identity/users/user-store.ts";
import { requestedDays, sameTimeBefore, statusOfSite, statusOfUser, today, usageView } from "./dashboard-rules.ts";
import type { DashboardStore } from "./dashboard-store.ts";
import { finishedDays, insightDay, paceOf, weekOf } from "./insight-rules.ts";
import { type InsightStore, rankedSpan } from "./insight-store.ts";
import type { KnownCostStore } from "./known-cost-store.ts";
import { requestedAccount } from "./requested-account.ts";

const allUsers = { id: "all" as const, uuid: "all", username: "all", display_name: "All Users" };

interface DashboardDeps {
  store: DashboardStore;
  insight: InsightStore;
  costs: KnownCostStore;
  users: UserStore;
}

/** More than the dashboard shows, which are those that were charged most. */
const costedMax = 500;

export function dashboardRoutes({ store, insight, costs, users }: DashboardDeps): ApiRoute[] {
  const summary = async (account: UserAccount | undefined) => {
    if (account) {
      const { balance, used_quota, debt, status } = account;
      return { total_quota: balance, used_quota, debt, status: statusOfUser(status) };
    }
    const { all, active, total_quota, used_quota } = await store.site();
    return { total_quota, used_quota, status: statusOfSite(active, all) };
  };

  return [
    apiRoute(getDashboard, async ({ principal, query, now }) => {
      const days = requestedDays(query.from_date, query.to_date, principal.role, now);
      const account = await requestedAccount(users, principal, query.user_id);
      const endsToday = query.to_date !== undefined && days.last >= today(now);
      const [totals, models, people, tokens, same_time] = await Promise.all([
        summary(account),
        store.models(days, account?.id),
        store.users(days, account?.id),
        store.tokens(days, account?.id),
        endsToday ? store.sums(sameTimeBefore(now), account?.id) : null,
      ]);
      const ofUser = ({ user_id, username, uuid }: { user_id: number; username: string; uuid: string }) => ({
        Username: username,
        user_id,
        user_uuid: uuid,
      });
      return {
        ...totals,
        same_time,
        logs: models.map((row) => ({ ...usageView(row.day, row), ModelName: row.model_name })),
        user_logs: people.map((row) => ({ ...usageView(row.day, row), ...ofUser(row) })),
        token_logs: tokens.map((row) => ({ ...usageView(row.day, row), ...ofUser(row), TokenName: row.token_name })),
      };
    }),
    apiRoute(getDashboardInsight, async ({ principal, query, now }) => {
      const range = requestedDays(query.from_date, query.to_date, principal.role, now);
      const account = await requestedAccount(users, principal, query.user_id);
      if (account) {
        const finished = finishedDays(account.created_at, now);
        const [days, spent] = await Promise.all([
          insight.userDays(range, account.id),
          finished.days > 0 ? insight.userSpending(finished, account.id) : 0,
        ]);
        const pace = paceOf(spent, finished.days);
        return { days: days.map(insightDay), pace, channels: null, model_costs: null, week: null };
      }
      const [days, channels, week, ofChannels, ofModels] = await Promise.all([
        insight.siteDays(range),
        insight.busiestChannels(range, now),
        insight.siteHours(range),
        costs.by("channel", rankedSpan(range), costedMax),
        costs.by("model", { first: range.first, end: range.last + 1 }, costedMax),
      ]);
      return {
        days: days.map(insightDay),
        pace: null,
        channels: channels.map((one) => ({ ...one, cost: ofChannels.get(String(one.id)) ?? null })),
        model_costs: [...ofModels].map(([model, cost]) => ({ model, cost })),
        week: weekOf(week),
      };
    }),
    apiRoute(listDashboardUsers, async () => [allUsers, ...(await store.people())]),
  ];
}
