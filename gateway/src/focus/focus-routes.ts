/** The API route of the FOCUS export. */
import { exportFocus, focusDaysMax } from "@tollgate/contract/focus.ts";
import { requestedAccount } from "../dashboard/requested-account.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import { createExportStreams, stillAllowed } from "../http/export-streams.ts";
import { refuse } from "../http/refusal.ts";
import type { Identify } from "../http/request-context.ts";
import type { UserStore } from "../identity/users/user-store.ts";
import type { OptionReader } from "../settings/live-options.ts";
import { focusCsv } from "./focus-export.ts";
import type { FocusStore } from "./focus-store.ts";

interface FocusRoutesDeps {
  store: FocusStore;
  users: UserStore;
  options: OptionReader;
  identify: Identify;
  clock(): number;
}

const dayMs = 86_400_000;
const dayOf = (text: string): number => Date.parse(`${text}T00:00:00Z`) / dayMs;

export function focusRoutes({ store, users, options, identify, clock }: FocusRoutesDeps): ApiRoute[] {
  const exported = createExportStreams();
  // The console shows the first rows while the same user downloads them all.
  const previewed = createExportStreams();
  return [
    apiRoute(exportFocus, async (call) => {
      const { from, to, limit, user_id } = call.query;
      const [first, last] = [dayOf(from), dayOf(to)];
      if (first > last) throw refuse("date_order");
      if (first * dayMs > call.now)
        throw refuse("date_in_future", { fields: { from: "The day cannot be in the future" } });
      if (last - first >= focusDaysMax) throw refuse("date_range_year");
      const account = await requestedAccount(users, call.principal, user_id);
      // The export of all users is for administrators alone.
      const site = { name: options.text("SystemName"), showsCosts: account === undefined };
      const body = (limit === undefined ? exported : previewed)(
        call.principal.id,
        focusCsv(store, site, { first, last, userId: account?.id, rowsMax: limit }),
        stillAllowed(identify, clock, call),
      );
      call.responseHeaders.set("Content-Disposition", `attachment; filename="focus-${from}-${to}.csv"`);
      return body;
    }),
  ];
}
