import { useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { incidentSpanMaxMs } from "@tollgate/contract/notices/incidents.ts";
import { hasFeature, isAdmin, useSession } from "../../session.ts";
import type { ChartMarking } from "../../ui/chart/chart-surface.tsx";

/**
 * `useIncidentMarking` gives what a marked time of a chart opens: for operators its incident, and
 * where it is longer than one, its problems, whose chart can be marked in turn. Users have the
 * calls of the log. `secondsAt` tells where the step at a place of the chart begins.
 */
export function useIncidentMarking(secondsAt: (place: number) => number): ChartMarking {
  const { t } = useLingui();
  const navigate = useNavigate();
  const { status, user } = useSession();
  return {
    hint: t`Shift and an arrow key mark a time, Enter shows it.`,
    onMark(first, last) {
      const [start, end] = [secondsAt(first), secondsAt(last + 1)];
      const span = { start_timestamp: String(start), end_timestamp: String(end) };
      if (!isAdmin(user)) return void navigate({ to: "/logs", search: span as never });
      const isIncident =
        hasFeature(status, "incidents") && (end - start) * 1_000 <= incidentSpanMaxMs;
      if (isIncident) return void navigate({ to: "/alerts/incident", search: span as never });
      return void navigate({ to: "/logs", search: { ...span, view: "problems" } as never });
    },
  };
}

const dayS = 86_400;

/** `useDayMarking` is for charts of whole days (UTC), which follow each other without gaps. */
export function useDayMarking(days: readonly string[]): ChartMarking {
  const firstS = Date.parse(days[0] ?? "") / 1_000;
  return useIncidentMarking((place) => firstS + place * dayS);
}
