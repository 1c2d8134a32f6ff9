/** API routes for keys that their owners, or administrators, should look at. */
import {
  type ExaminedToken,
  listAllKeyFindings,
  listKeyFindings,
  networksCountedMax,
} from "@tollgate/contract/key-hygiene.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import { toUnixSeconds } from "../http/unix-seconds.ts";
import type { OptionReader } from "../settings/live-options.ts";
import type { Database } from "../storage/database.ts";
import { viewHeld } from "./held-token-view.ts";
import { type ExaminedPage, type ExaminedRow, keyFindingsPage } from "./key-findings.ts";
import { dayStartMs, networksAllowed } from "./key-networks.ts";

export const keyFindingsRoutes = (db: Database, options: OptionReader): ApiRoute[] => [
  apiRoute(listKeyFindings, async ({ query, principal, now }) =>
    viewPage(await keyFindingsPage(db, { query, userId: principal.id, networks: networksAllowed(options), now }), now),
  ),
  apiRoute(listAllKeyFindings, async (call) => {
    const { query, now } = call;
    const page = await keyFindingsPage(db, { query, networks: networksAllowed(options), now });
    await db.write(call.audit("token.list_all", "", { finding: query.finding ?? "any", shown: page.rows.length }));
    return viewPage(page, now);
  }),
];

function viewPage({ rows, ...total }: ExaminedPage, now: number) {
  const data = rows.map(
    ({ row, findings }): ExaminedToken => ({
      ...viewHeld(row, now),
      key_time: toUnixSeconds(row.key_made_at ?? row.created_at),
      findings,
      busiest_day: busiestDayOf(row),
    }),
  );
  return { data, ...total };
}

const busiestDayOf = ({ busiest_day: day, busiest_networks: networks }: ExaminedRow): ExaminedToken["busiest_day"] =>
  day === null || networks === null
    ? null
    : { start: toUnixSeconds(dayStartMs(day)), networks: Math.min(networks, networksCountedMax) };
