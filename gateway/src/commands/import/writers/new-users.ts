/**
 * Accounts that an import adds: what is stored of each, and the statements that write many of them
 * together.
 */

import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import { hashSecret } from "../../../accounts/identity/sessions/session-cookie.ts";
import { composeSeedContext, seedPurpose } from "../../../accounts/identity/totp/second-factor.ts";
import {
  importedPasswordMatches,
  readImportedHash,
} from "../../../accounts/identity/users/imported-passwords.ts";
import type { AccountWithWallet } from "../../../accounts/identity/users/user-store.ts";
import {
  type CarriedAmountOfRow,
  planOpeningBalanceWrites,
  planOpeningDebtWrites,
  planOpeningUseWrites,
} from "../../../money/opening-writes.ts";
import type { Write } from "../../../storage/database.ts";
import { readUuid7 } from "../../../storage/time-ids.ts";
import type { SourceUser } from "../import-items.ts";
import type { ImportRow, ImportRun } from "../import-run.ts";
import type { ImportedState } from "../import-store.ts";
import type { ChosenNames, TakenNames } from "./taken-names.ts";

/** The password that the family gives its first account. */
const wellKnownPassword = "123456";

export interface NewUser extends ImportRow {
  user: SourceUser;
  state: ImportedState;
  names: ChosenNames;
  account: AccountWithWallet;
}

export async function readUser(
  run: ImportRun,
  { sourceId, user, state }: Pick<NewUser, "sourceId" | "user" | "state">,
  taken: TakenNames,
): Promise<NewUser> {
  const names = taken.take(sourceId, user);
  const lose = (reason: ImportLossReason, field: string, value = "") =>
    run.report.lose({ entity: "user", sourceId, name: user.username, field, reason, value });
  for (const { reason, field, value } of names.problems) lose(reason, field, value);
  const isRoot = user.role === roles.root;
  const keepsRoot = isRoot && run.keepRoot.has(user.username);
  if (isRoot && !keepsRoot) lose("role_lowered", "role");
  const isWellKnown = isRoot && (await hasWellKnownPassword(user.passwordHash));
  if (isWellKnown) lose("password_well_known", "password");
  const { now } = run;
  const row: AccountWithWallet["row"] = {
    uuid: user.uuid ?? readUuid7(now),
    username: names.username,
    display_name: user.displayName || names.username.slice(0, 20),
    email: names.email,
    password_hash: user.passwordHash,
    role: isRoot && !keepsRoot ? roles.admin : user.role,
    status: user.isEnabled ? userStatus.enabled : userStatus.disabled,
    group: user.group,
    request_count: user.requestCount,
    must_change_password: user.mustChangePassword || isWellKnown ? 1 : 0,
    access_token_hash: user.accessToken === undefined ? null : hashSecret(user.accessToken),
    created_at: user.createdAtMs ?? now,
    updated_at: now,
  };
  const account = { row, walletUuid: readUuid7(now), isLookAlike: names.isLookAlike };
  return {
    entity: "user",
    sourceId,
    name: user.username,
    outcome: "added",
    user,
    state,
    names,
    account,
  };
}

async function hasWellKnownPassword(hash: string): Promise<boolean> {
  const imported = readImportedHash(hash);
  return imported !== undefined && (await importedPasswordMatches(wellKnownPassword, imported));
}

export function planUserWrites(run: ImportRun, added: readonly NewUser[]): Write[] {
  if (added.length === 0) return [];
  const { db, now } = run;
  const amounts = (of: (user: NewUser) => { uuid: string; amount: number }): CarriedAmountOfRow[] =>
    added.map((user) => ({ id: db.mintId(), ...of(user) }));
  const ofWallet = (amountOf: (balance: number) => number) =>
    amounts(({ user, account: { walletUuid } }) => ({
      uuid: walletUuid,
      amount: amountOf(user.balance),
    }));
  const used = amounts(({ user, account: { row } }) => ({
    uuid: row.uuid,
    amount: user.usedQuota,
  }));
  const remembered = added.map(({ sourceId, state, account: { row } }) => ({
    uuid: row.uuid,
    sourceId,
    state,
  }));
  return [
    ...run.users.insertWithWallets(added.map(({ account }) => account)),
    ...planOpeningBalanceWrites(
      db,
      ofWallet((balance) => Math.max(0, balance)),
      now,
    ),
    ...planOpeningDebtWrites(
      db,
      ofWallet((balance) => Math.max(0, -balance)),
      now,
    ),
    ...planOpeningUseWrites(db, "users", used, now),
    ...planWaysInWrites(run, added),
    run.imported.remember("user", "users", remembered),
  ];
}

/**
 * `planWaysInWrites` gives what else belongs to an account: identities at providers, the invitation
 * code, the second factor.
 */
function planWaysInWrites({ db, seal, now }: ImportRun, added: readonly NewUser[]): Write[] {
  const idOf = (uuid: string) => db.sql.selectFrom("users").select("id").where("uuid", "=", uuid);
  const identities = added.flatMap(({ names, account: { row } }) =>
    names.externalAccounts.map(({ provider, externalId }) => ({
      provider,
      external_id: externalId,
      user_id: idOf(row.uuid),
      name: "",
      created_at: now,
    })),
  );
  const codes = added.flatMap(({ names: { invitationCode: code }, account: { row } }) =>
    code === undefined ? [] : [{ user_id: idOf(row.uuid), code, created_at: now }],
  );
  const factors = added.flatMap(({ user: { totpSeed: seed }, account: { row } }) =>
    seed === undefined
      ? []
      : [
          {
            user_id: idOf(row.uuid),
            secret_sealed: seal.seal(
              seedPurpose,
              composeSeedContext(row.uuid),
              Buffer.from(seed).toString("base64"),
            ),
            created_at: now,
            enabled_at: now,
          },
        ],
  );
  const writes = [
    { query: db.sql.insertInto("external_accounts").values(identities), rows: identities.length },
    { query: db.sql.insertInto("invitation_codes").values(codes), rows: codes.length },
    { query: db.sql.insertInto("second_factors").values(factors), rows: factors.length },
  ];
  return writes.filter(({ rows }) => rows > 0);
}
