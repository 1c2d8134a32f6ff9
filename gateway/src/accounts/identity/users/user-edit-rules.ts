/** Rules for users who change accounts: which ones, and how. Pure. */

import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { UserChange, userActions } from "@tollgate/contract/accounts/user-admin.ts";
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import { isPerson } from "../../../http/management-key-access.ts";
import { refuse } from "../../../http/refusal.ts";
import type { Principal } from "../../../http/request-context.ts";
import type { UserRow } from "../../../storage/tables/account-tables.ts";
import type { UserAccount } from "./user-store.ts";
import { readNewName } from "./username-rules.ts";

type UserActor = Pick<Principal, "id" | "role" | "credential">;
type UserTarget = Pick<UserAccount, "id" | "role">;

/**
 * Only root can manage peers and accounts above. A management key manages ordinary users alone,
 * also root's.
 */
export const canManage = (actor: UserActor, target: UserTarget): boolean =>
  isPerson(actor)
    ? actor.role >= roles.root || actor.role > target.role
    : roles.admin > target.role;

export function checkCanManage(actor: UserActor, target: UserTarget): void {
  if (!canManage(actor, target)) throw refuse("user_out_of_reach");
}

/**
 * Users cannot lock themselves out; their own password and mail address require reauthentication in
 * the personal settings.
 */
export function checkNotSelf(actor: UserActor, target: UserTarget): void {
  if (actor.id === target.id) throw refuse("user_is_yourself");
}

/**
 * A management key must not become a person with more rights than it has: it changes no role, and
 * nothing with which it could sign in as the user afterwards.
 */
export function checkSignInStays(
  actor: Pick<UserActor, "credential">,
  target: Pick<UserAccount, "email">,
  change: Pick<UserChange, "email" | "password">,
): void {
  const email = change.email !== undefined && change.email !== target.email;
  if (!isPerson(actor) && (email || change.password)) throw refuse("management_key_not_allowed");
}

/**
 * Only root assigns roles, and never to itself, so the root who demotes the second-to-last root is
 * still root.
 */
export function checkRole(actor: UserActor, target: UserTarget, role: number | undefined): void {
  if (role === undefined || role === target.role) return;
  if (actor.role < roles.root || actor.id === target.id || !isPerson(actor))
    throw refuse("role_not_allowed");
}

/**
 * `checkAuditor` lets root alone make an administrator an auditor, and an auditor an administrator.
 */
export function checkAuditor(
  actor: UserActor,
  target: UserTarget & Pick<UserAccount, "read_only">,
  { role, read_only }: Pick<UserChange, "role" | "read_only">,
): void {
  if (read_only === undefined || read_only === (target.read_only === 1)) return;
  if (actor.role < roles.root || actor.id === target.id || !isPerson(actor))
    throw refuse("role_not_allowed");
  if (read_only && (role ?? target.role) !== roles.admin) {
    const message = "Only an administrator can be an auditor";
    throw refuse("invalid_request", { message, fields: { read_only: message } });
  }
}

type EditableUserColumns = Pick<
  UserRow,
  "username" | "display_name" | "email" | "group" | "role" | "status"
> & {
  read_only: 0 | 1;
  external_id: string | null;
};

/** Only fields that differ: forms send unchanged fields too. */
export function changeColumns(
  account: UserAccount,
  change: UserChange,
): Partial<EditableUserColumns> {
  const names = ["display_name", "email", "group", "role", "status"] as const;
  const changed = names.filter(
    (name) => change[name] !== undefined && change[name] !== account[name],
  );
  const username = readNewName(account.username, change.username);
  const external_id =
    change.external_id === undefined ? account.external_id : change.external_id || null;
  // The mark belongs to the role: who is promoted later begins without it.
  const isAuditor =
    (change.role ?? account.role) === roles.admin && (change.read_only ?? account.read_only === 1);
  return {
    ...(username !== undefined && { username }),
    ...(external_id !== account.external_id && { external_id }),
    ...(isAuditor !== (account.read_only === 1) && { read_only: isAuditor ? 1 : 0 }),
    ...Object.fromEntries(changed.map((name) => [name, change[name]])),
  };
}

/**
 * The move of the stored balance that an edit requests: the difference to the value that the form
 * had read, so that spending since then stays spent; without that value, the quota is absolute.
 */
export function computeQuotaAdjustment(
  { balance, held }: Pick<UserAccount, "balance" | "held">,
  { quota, quota_read }: Pick<UserChange, "quota" | "quota_read">,
): { amount: number; isExact: boolean } {
  if (quota === undefined) return { amount: 0, isExact: false };
  const requested = quota_read === undefined ? quota : balance + quota - quota_read;
  const after = Math.min(quotaMax, Math.max(0, requested));
  const amount = after - balance;
  if (amount < 0 && after < held) throw refuse("quota_set_aside");
  // A plain difference is valid for any balance; anything else was computed from this balance.
  return { amount, isExact: quota_read === undefined || after !== requested };
}

/** The edit that an action of `manage` stands for. */
export function changeForAction(
  action: Exclude<(typeof userActions)[number], "delete">,
  target: UserTarget,
): Pick<UserChange, "status" | "role"> {
  switch (action) {
    case "enable":
      return { status: userStatus.enabled };
    case "disable":
      return { status: userStatus.disabled };
    case "promote":
      if (target.role !== roles.user) throw refuse("role_not_allowed");
      return { role: roles.admin };
    case "demote":
      if (target.role !== roles.admin) throw refuse("role_not_allowed");
      return { role: roles.user };
  }
}
