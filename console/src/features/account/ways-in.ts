import { getSelf, listSessions } from "@tollgate/contract/accounts/sessions.ts";

/**
 * `waysIn` are the queries that show how the user gets in: sessions and the access token, which end
 * together.
 */
export const waysIn = [listSessions, getSelf] as const;
