import { useNavigate, useSearch } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";
import {
  buildDay,
  buildDaysOfRange,
  buildLastDays,
  type DateRange,
  dayRanges,
  type RangeProblem,
  rangeProblem,
  type UsualDays,
} from "./date-range.ts";

const defaultDays = 7;
export const allUsers = "all";

/** `range` is the usual range that the days are of, which moves with the clock. */
export type DashboardView = DateRange & { user: string; range?: UsualDays | undefined };

/** A page that stays open goes on to the next day. */
function everyMinute(onChange: () => void) {
  const timer = setInterval(onChange, 60_000);
  return () => clearInterval(timer);
}

/** Range and user live in the URL, so that a link shows the same data. */
export function useDashboardView(admin: boolean) {
  const search: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const today = useSyncExternalStore(everyMinute, () => buildDay(Date.now()));
  const defaults: DashboardView = { ...buildLastDays(defaultDays, today), user: allUsers };
  const range = dayRanges.find(
    (one) => one === search.range && search.from === undefined && search.to === undefined,
  );
  const days = range === undefined ? defaults : buildDaysOfRange(range, today);
  const view: DashboardView = {
    from: search.from ?? days.from,
    to: search.to ?? days.to,
    range,
    user: admin ? (search.user_id ?? defaults.user) : allUsers,
  };
  const problem: RangeProblem | undefined = rangeProblem(view, today, admin);
  const apply = (next: DashboardView) => {
    const unlessDefault = (value: string, defaultValue: string) =>
      value === defaultValue ? undefined : value;
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) =>
        ({
          ...before,
          range: next.range,
          from: next.range === undefined ? unlessDefault(next.from, defaults.from) : undefined,
          to: next.range === undefined ? unlessDefault(next.to, defaults.to) : undefined,
          user_id: unlessDefault(next.user, defaults.user),
        }) as never,
    });
  };
  return { view, apply, today, problem };
}
