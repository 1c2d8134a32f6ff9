/** API routes for keys that their owners, or administrators, should look at. */
import { type ExaminedToken, listAllKeyFindings, listKeyFindings } from "@tollgate/contract/key-hygiene.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import { toUnixSeconds } from "../http/unix-seconds.ts";
import type { Database } from "../storage/database.ts";
import { viewHeld } from "./held-token-view.ts";
import { type ExaminedPage, keyFindingsPage } from "./key-findings.ts";

export const keyFindingsRoutes = (db: Database): ApiRoute[] => [
  apiRoute(listKeyFindings, async ({ query, principal, now }) =>
    viewPage(await keyFindingsPage(db, { query, userId: principal.id, now }), now),
  ),
  apiRoute(listAllKeyFindings, async (call) => {
    const { query, now } = call;
    const page = await keyFindingsPage(db, { query, now });
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
    }),
  );
  return { data, ...total };
}
