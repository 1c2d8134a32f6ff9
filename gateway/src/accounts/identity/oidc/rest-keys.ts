/**
 * API keys of people who left the company: an identity provider may say that its people's keys are
 * paused once they have not signed in with it for some days. A sign-in with it lets them work
 * again.
 */

import { buildOidcAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import { type PauseOrigin, tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import type { AuditAction } from "@tollgate/contract/site/audit-actions.ts";
import { sql as raw } from "kysely";
import { type Database, tryWrite, type Write } from "../../../storage/database.ts";
import { isLastingKey } from "../../../storage/lasting-keys.ts";
import type { LiveOidcProviders, OidcProviderRow } from "./oidc-provider-store.ts";

const dayMs = 86_400_000;

/** People who last signed in before this moment are away. */
export const computeRestingStart = (days: number, now: number): number => now - days * dayMs;

/** `peopleMax` is in one run of a provider; the next one takes the others. */
const peopleMax = 500;
const pausedBy = "provider" satisfies PauseOrigin;
const working = [tokenStatus.enabled, tokenStatus.exhausted];

interface RestKeysDeps {
  db: Database;
  oidcProviders: LiveOidcProviders;
}

/** `restKeys` is for the schedule. */
export async function restKeys({ db, oidcProviders }: RestKeysDeps, now: number): Promise<void> {
  for (const row of oidcProviders.enabled()) {
    if (row.keys_rest_days === 0) continue;
    const before = computeRestingStart(row.keys_rest_days, now);
    for (const person of await listPeopleAway(db, row, before)) {
      // Misses where the person has signed in meanwhile, or another node was first.
      await tryWrite(db, planResting(db, { row, before, person }, now), { changes: ["tokens"] });
    }
  }
}

interface PersonAway {
  userId: number;
  uuid: string;
  username: string;
  /** `tokenId` is one of the keys that work. */
  tokenId: number;
}

const selectAccountsAway = (
  { sql }: Pick<Database, "sql">,
  { issuer }: OidcProviderRow,
  before: number,
) =>
  sql
    .selectFrom("external_accounts")
    .where("provider", "=", buildOidcAccountProvider(issuer))
    .where("signed_in_at", "<", before)
    .where("external_accounts.created_at", "<", before);

/**
 * Keys of root work on: no provider decides about them. Those of the playground end by themselves.
 */
const listPeopleAway = (
  db: Pick<Database, "sql" | "read">,
  row: OidcProviderRow,
  before: number,
): Promise<PersonAway[]> =>
  db.read(
    selectAccountsAway(db, row, before)
      .innerJoin("users", "users.id", "external_accounts.user_id")
      .innerJoin("tokens", "tokens.user_id", "users.id")
      .select(({ fn }) => [
        "users.id as userId",
        "users.uuid as uuid",
        "users.username as username",
        fn.min("tokens.id").as("tokenId"),
      ])
      .where("users.role", "<", roles.root)
      .where("users.status", "=", userStatus.enabled)
      .where("tokens.status", "in", working)
      .where(isLastingKey())
      .groupBy(["users.id", "users.uuid", "users.username"])
      .orderBy("users.id")
      .limit(peopleMax),
  );

function planResting(
  db: Pick<Database, "sql" | "audit">,
  { row, before, person }: { row: OidcProviderRow; before: number; person: PersonAway },
  now: number,
): Write[] {
  const paused = db.sql.updateTable("tokens").set({
    status: tokenStatus.paused,
    paused_by: pausedBy,
    paused_by_name: row.name,
    pause_reason: "",
    paused_at: now,
    updated_at: raw<number>`case when updated_at < ${now} then ${now} else updated_at + 1 end`,
  });
  const guard = paused
    .where("id", "=", person.tokenId)
    .where("status", "in", working)
    .where(({ exists }) =>
      exists(
        selectAccountsAway(db, row, before).select("user_id").where("user_id", "=", person.userId),
      ),
    );
  const others = paused
    .where("user_id", "=", person.userId)
    .where("status", "in", working)
    .where(isLastingKey());
  const entry = {
    ...{ at: now, actorId: 0, address: "", target: person.uuid },
    action: "oidc_provider.rest_keys" satisfies AuditAction,
    change: { username: person.username, provider: row.name, days: row.keys_rest_days },
  };
  return [{ query: guard, rows: 1 }, { query: others }, ...db.audit(entry)];
}

/** After a sign-in with the provider; nothing is written where no key rests. */
export async function wakeKeys(
  { sql, read, write }: Pick<Database, "sql" | "read" | "write">,
  userId: number,
): Promise<void> {
  const [resting] = await read(
    sql
      .selectFrom("tokens")
      .select("id")
      .where("user_id", "=", userId)
      .where("paused_by", "=", pausedBy)
      .limit(1),
  );
  if (!resting) return;
  const woken = sql
    .updateTable("tokens")
    .set({
      status: tokenStatus.enabled,
      paused_by: null,
      paused_by_name: "",
      paused_at: null,
      updated_at: raw<number>`updated_at + 1`,
    })
    .where("user_id", "=", userId)
    .where("status", "=", tokenStatus.paused)
    .where("paused_by", "=", pausedBy);
  await write([{ query: woken }], { changes: ["tokens"] });
}
