import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type DateRange, dayOf, lastDays, type RangeProblem, rangeProblem } from "./date-range.ts";

const defaultDays = 7;
export const everybody = "all";

export type DashboardView = DateRange & { user: string };

/** The range and the person live in the address, so that a link shows what its sender saw. */
export function useDashboardView(admin: boolean) {
  const search: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  // Asked once: the day must not change between two renders of one visit.
  const [today] = useState(() => dayOf(Date.now()));
  const defaults: DashboardView = { ...lastDays(defaultDays, today), user: everybody };
  const view: DashboardView = {
    from: search.from ?? defaults.from,
    to: search.to ?? defaults.to,
    user: admin ? (search.user_id ?? defaults.user) : everybody,
  };
  const problem: RangeProblem | undefined = rangeProblem(view, today, admin);
  const apply = (next: DashboardView) => {
    const unless = (value: string, standard: string) => (value === standard ? undefined : value);
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) =>
        ({
          ...before,
          from: unless(next.from, defaults.from),
          to: unless(next.to, defaults.to),
          user_id: unless(next.user, defaults.user),
        }) as never,
    });
  };
  return { view, apply, today, problem };
}
