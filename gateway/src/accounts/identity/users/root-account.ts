/**
 * The first account. No password is well known: the operator sets one, or it is generated and
 * printed once.
 */

import { randomBytes } from "node:crypto";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { AuditAction } from "@tollgate/contract/site/audit-actions.ts";
import { type Database, tryWrite } from "../../../storage/database.ts";
import { readUuid7 } from "../../../storage/time-ids.ts";
import { endAccountLock } from "../lockouts/lockout-store.ts";
import { endSignIns } from "./end-sign-ins.ts";
import { hashPassword } from "./passwords.ts";
import type { UserStore } from "./user-store.ts";

/** A billion dollars: root is the operator, whose calls should never run out of quota. */
const rootQuota = 500_000_000_000_000;
const generatedBytes = 15;

/** The message says what to do. */
export class RootMissing extends Error {}

interface RootAccountOptions {
  initialPassword: string | undefined;
  now: number;
}

/**
 * Creates root unless an account has its role. Returns a generated password, which must be printed:
 * it is not stored.
 */
export async function ensureRoot(
  db: Database,
  users: UserStore,
  { initialPassword, now }: RootAccountOptions,
): Promise<{ username: string; password: string } | undefined> {
  const existing = await users.withRole(roles.root);
  if (existing) {
    // The process may have stopped between the two steps below.
    if (existing.balance === 0 && existing.used_quota === 0)
      await grantOnce(db, existing.wallet_id, now);
    return;
  }
  const password = initialPassword ?? randomBytes(generatedBytes).toString("base64url");
  const row = {
    uuid: readUuid7(now),
    username: "root",
    display_name: "Root User",
    email: "",
    password_hash: await hashPassword(password, ""),
    role: roles.root,
    status: 1,
    group: "default",
    must_change_password: initialPassword === undefined ? (1 as const) : (0 as const),
    access_token_hash: null,
    created_at: now,
    updated_at: now,
  };
  // Rejected when another node started at the same moment and was first.
  if (await tryWrite(db, users.insertWithWallet(row, readUuid7(now)), { changes: ["users"] }))
    return;
  const created = await users.withRole(roles.root);
  if (created) await grantOnce(db, created.wallet_id, now);
  return initialPassword === undefined ? { username: row.username, password } : undefined;
}

async function grantOnce(db: Database, walletId: number, at: number): Promise<void> {
  const [earlier] = await db.read(
    db.sql
      .selectFrom("ledger")
      .select("billing_id")
      .where("kind", "=", "grant")
      .where("credit", "=", `wallet:${walletId}`)
      .limit(1),
  );
  if (!earlier) await db.money({ verb: "grant", id: db.mintId(), walletId, amount: rootQuota, at });
}

/**
 * Run by the operator on the command line: sets a new one-time password, ends every session of
 * root, and removes the second factor and the passkeys, which were lost with their device or are an
 * intruder's.
 */
export async function resetRootPassword(
  db: Database,
  users: UserStore,
  now: number,
): Promise<string> {
  const root = await users.withRole(roles.root);
  if (!root) throw new RootMissing("there is no root account yet: the first start makes it");
  const password = randomBytes(generatedBytes).toString("base64url");
  const change = {
    password_hash: await hashPassword(password, ""),
    must_change_password: 1,
    status: 1,
    updated_at: now,
  } as const;
  const batch = [
    users.update(root.id, change),
    ...endSignIns(db, root.id),
    endAccountLock(db, root.id),
    { query: db.sql.deleteFrom("second_factors").where("user_id", "=", root.id) },
    { query: db.sql.deleteFrom("recovery_codes").where("user_id", "=", root.id) },
    { query: db.sql.deleteFrom("passkeys").where("user_id", "=", root.id) },
    ...db.audit({
      at: now,
      actorId: 0,
      address: "",
      action: "user.reset_root_password" satisfies AuditAction,
      target: root.uuid,
      change: {},
    }),
  ];
  await db.write(batch, { changes: ["users"] });
  return password;
}
