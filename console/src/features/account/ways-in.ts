import { getSelf, listSessions } from "@tollgate/contract/accounts/sessions.ts";

/** What shows how the user gets in: sessions and the access token, which end together. */
export const waysIn = [listSessions, getSelf] as const;
