/** The API route of the FOCUS export. */
import { exportFocus, focusDaysMax } from "@tollgate/contract/figures/focus.ts";
import type { UserStore } from "../../accounts/identity/users/user-store.ts";
import type { TeamSight } from "../../accounts/teams/team-sight.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { createExportStreams, stillAllowed } from "../../http/export-streams.ts";
import { refuse } from "../../http/refusal.ts";
import type { Identify } from "../../http/request-context.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import { isWholeSite } from "../../storage/payer-scope.ts";
import { readRequestedFigures } from "../dashboard/requested-account.ts";
import { focusCsv } from "./focus-export.ts";
import type { FocusStore } from "./focus-store.ts";

interface FocusRoutesDeps {
  store: FocusStore;
  users: UserStore;
  sight: TeamSight;
  options: OptionReader;
  identify: Identify;
  clock(): number;
}

const dayMs = 86_400_000;
const computeDay = (text: string): number => Date.parse(`${text}T00:00:00Z`) / dayMs;

export function focusRoutes({
  store,
  users,
  sight,
  options,
  identify,
  clock,
}: FocusRoutesDeps): ApiRoute[] {
  const exported = createExportStreams();
  // The console shows the first rows while the same user downloads them all.
  const previewed = createExportStreams();
  return [
    apiRoute(exportFocus, async (call) => {
      const { from, to, limit } = call.query;
      const [first, last] = [computeDay(from), computeDay(to)];
      if (first > last) throw refuse("date_order");
      if (first * dayMs > call.now)
        throw refuse("date_in_future", { fields: { from: "The day cannot be in the future" } });
      if (last - first >= focusDaysMax) throw refuse("date_range_year");
      const { payer } = await readRequestedFigures({ users, sight }, call.principal, call.query);
      // The export of all users is for administrators alone.
      const site = { name: options.text("SystemName"), showsCosts: isWholeSite(payer) };
      const body = (limit === undefined ? exported : previewed)(
        call.principal.id,
        focusCsv(store, site, { first, last, payer, rowsMax: limit }),
        stillAllowed(identify, clock, call),
      );
      call.responseHeaders.set(
        "Content-Disposition",
        `attachment; filename="focus-${from}-${to}.csv"`,
      );
      return body;
    }),
  ];
}
