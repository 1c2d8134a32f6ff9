/** API routes for keys that their owners, or administrators, should look at. */
import {
  type ExaminedToken,
  listAllKeyFindings,
  listKeyFindings,
  networksCountedMax,
} from "@tollgate/contract/accounts/key-hygiene.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { buildUnixSeconds } from "../../http/unix-seconds.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import { viewHeld } from "./held-token-view.ts";
import { type ExaminedPage, type ExaminedRow, readKeyFindingsPage } from "./key-findings.ts";
import { computeDayStartMs, countAllowedNetworks } from "./key-networks.ts";

export const buildKeyFindingsRoutes = (db: Database, options: OptionReader): ApiRoute[] => [
  apiRoute(listKeyFindings, async ({ query, principal, now }) =>
    viewPage(
      await readKeyFindingsPage(db, {
        query,
        userId: principal.id,
        networks: countAllowedNetworks(options),
        now,
      }),
      now,
    ),
  ),
  apiRoute(listAllKeyFindings, async (call) => {
    const { query, now } = call;
    const page = await readKeyFindingsPage(db, {
      query,
      networks: countAllowedNetworks(options),
      now,
    });
    await db.write(
      call.audit("token.list_all", "", {
        finding: query.finding ?? "any",
        shown: page.rows.length,
      }),
    );
    return viewPage(page, now);
  }),
];

function viewPage({ rows, ...total }: ExaminedPage, now: number) {
  const data = rows.map(
    ({ row, findings }): ExaminedToken => ({
      ...viewHeld(row, now),
      key_time: buildUnixSeconds(row.key_made_at ?? row.created_at),
      findings,
      busiest_day: findBusiestDay(row),
    }),
  );
  return { data, ...total };
}

const findBusiestDay = ({
  busiest_day: day,
  busiest_networks: networks,
}: ExaminedRow): ExaminedToken["busiest_day"] =>
  day === null || networks === null
    ? null
    : {
        start: buildUnixSeconds(computeDayStartMs(day)),
        networks: Math.min(networks, networksCountedMax),
      };
