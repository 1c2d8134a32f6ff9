/** API routes for the dashboard. */
import { getDashboard, getDashboardInsight, listDashboardUsers } from "@tollgate/contract/dashboard.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import type { UserAccount, UserStore } from "../identity/users/user-store.ts";
import { requestedDays, sameTimeBefore, statusOfSite, statusOfUser, today, usageView } from "./dashboard-rules.ts";
import type { DashboardStore } from "./dashboard-store.ts";
import { finishedDays, insightDay, paceOf, weekOf, withHours } from "./insight-rules.ts";
import type { InsightStore } from "./insight-store.ts";
import { requestedAccount } from "./requested-account.ts";

const allUsers = { id: "all" as const, uuid: "all", username: "all", display_name: "All Users" };

export function dashboardRoutes(store: DashboardStore, insight: InsightStore, users: UserStore): ApiRoute[] {
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
        return { days: days.map(insightDay), pace: paceOf(spent, finished.days), channels: null, week: null };
      }
      const [days, channels, hours, week] = await Promise.all([
        insight.siteDays(range),
        insight.busiestChannels(range),
        insight.channelHours(now),
        insight.siteHours(range),
      ]);
      return { days: days.map(insightDay), pace: null, channels: withHours(channels, hours, now), week: weekOf(week) };
    }),
    apiRoute(listDashboardUsers, async () => [allUsers, ...(await store.people())]),
  ];
}
