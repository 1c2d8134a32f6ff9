/**
 * Gives teams whose owner is disabled or gone to another of their admins, whatever ended the
 * account.
 */
import type { Database } from "../../storage/database.ts";
import type { InvitationStore } from "./invitation-store.ts";
import type { TeamStore } from "./team-store.ts";

interface PassOnDeps {
  db: Pick<Database, "write">;
  teams: Pick<TeamStore, "passOn">;
  invitations: Pick<InvitationStore, "endOffers">;
}

/**
 * `passOnTeams` runs from time to time. A team without another enabled admin keeps its owner and
 * runs on: administrators of the site hand it over.
 */
export async function passOnTeams(
  { db, teams, invitations }: PassOnDeps,
  now: number,
): Promise<void> {
  const [passed] = await db.write([teams.passOn(now)]);
  const ids = ((passed?.rows ?? []) as { id: number }[]).map(({ id }) => id);
  if (ids.length > 0) await db.write(ids.map(invitations.endOffers));
}
