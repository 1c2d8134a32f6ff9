/** Changes another user's account: columns, balance, log and audit entry in one transaction. */

import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { UserChange } from "@tollgate/contract/accounts/user-admin.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import type { LogEvent } from "@tollgate/contract/figures/log-events.ts";
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import { idempotent } from "../../../http/idempotency.ts";
import { buildMemberChanges } from "../../../http/member-changes.ts";
import { refuse } from "../../../http/refusal.ts";
import type { AuthenticatedContext, RequestContext } from "../../../http/request-context.ts";
import { planWaiverWrites } from "../../../money/debt-writes.ts";
import { grantWrites } from "../../../money/grant-writes.ts";
import { formatQuotaText } from "../../../money/quota-text.ts";
import { checkGroup } from "../../../settings/group-rules.ts";
import type { OptionReader } from "../../../settings/live-options.ts";
import { type Database, StaleWrite, type Write } from "../../../storage/database.ts";
import { planEventRow } from "../../../storage/event-row.ts";
import type { Issuance } from "../../quota-requests/issuance.ts";
import { endAccountLock } from "../lockouts/lockout-store.ts";
import { endSignIns } from "./end-sign-ins.ts";
import { hashPassword } from "./passwords.ts";
import {
  changeColumns,
  checkAuditor,
  checkCanManage,
  checkNotSelf,
  checkRole,
  checkSignInStays,
  computeQuotaAdjustment,
} from "./user-edit-rules.ts";
import type { UserAccount, UserStore } from "./user-store.ts";

type UserEdit = Omit<UserChange, "id" | "uuid">;

/** Each attempt lost a race with a charge or another edit. */
const attemptsMax = 20;
const temporaryBelow = 8;

export interface UserDeps {
  db: Database;
  users: UserStore;
  options: OptionReader;
  issuance: Issuance;
}

/** The remembered result of an edit or a top-up that exceeded the limit of its administrator. */
export const waiting = "waits for root";

/**
 * A password shorter than the minimum is temporary: its owner must choose another one at the first
 * sign-in.
 */
export const readAssignedPasswordColumns = async (
  password: string,
  { address }: Pick<RequestContext, "address">,
) => ({
  password_hash: await hashPassword(password, address),
  must_change_password: password.length < temporaryBelow ? (1 as const) : (0 as const),
});

export function createUserEditor({ db, users, options, issuance }: UserDeps) {
  const findManageable = async (
    call: AuthenticatedContext,
    reference: Reference,
  ): Promise<UserAccount> => {
    const account = await users.byReference(reference);
    if (!account) throw refuse("user_not_found");
    checkCanManage(call.principal, account);
    return account;
  };

  const check = ({ principal }: AuthenticatedContext, account: UserAccount, change: UserEdit) => {
    if (change.updated_at !== undefined && change.updated_at !== account.updated_at)
      throw refuse("changed_meanwhile");
    checkRole(principal, account, change.role);
    checkAuditor(principal, account, change);
    checkSignInStays(principal, account, change);
    const columns = changeColumns(account, change);
    if (columns.status !== undefined || columns.email !== undefined || change.password)
      checkNotSelf(principal, account);
    if (columns.group !== undefined) checkGroup(options, columns.group);
    return columns;
  };

  /** Wallets are locked before users, and the audit chain last. No statements: nothing changes. */
  const planOf = (
    call: AuthenticatedContext,
    account: UserAccount,
    change: UserEdit,
    password: object,
  ) => {
    const columns = check(call, account, change);
    const { amount, isExact } = computeQuotaAdjustment(account, change);
    const isNewPassword = change.password ? { password: "changed" } : {};
    const changes = {
      ...buildMemberChanges(account, columns),
      ...isNewPassword,
      ...(amount !== 0 && { quota_moved_by: amount }),
    };
    if (Object.keys(changes).length === 0) return { columns, writes: [], audits: [] };
    const { principal, now } = call;
    const id = db.mintId();
    const grant = { id, wallet: { id: account.wallet_id }, amount, at: now };
    const logged = {
      id,
      type: logTypes.management,
      user_id: account.id,
      username: account.username,
      quota: 0,
      content: `quota ${formatQuotaText(account.balance, options)} → ${formatQuotaText(account.balance + amount, options)}, changed by ${principal.username}`,
      event: {
        code: "quota_changed",
        params: {
          before: account.balance,
          after: account.balance + amount,
          by: principal.username,
        },
      },
    } as const;
    const losesPower =
      account.role >= roles.root && (columns.role !== undefined || columns.status !== undefined);
    const writes = [
      // A form that leaves the quota as it read it says nothing of what calls spent meanwhile.
      ...grantWrites(db, {
        ...grant,
        expectedBalance: isExact && amount !== 0 ? account.balance : undefined,
      }),
      ...(losesPower ? [users.requireRole(principal.id, roles.root)] : []),
      users.edit(account, {
        ...columns,
        ...password,
        updated_at: Math.max(now, account.updated_at + 1),
      }),
      ...(amount === 0 ? [] : [planEventRow(db, logged)]),
      // An attacker who knew the old password may have signed in with it.
      ...(change.password ? [endAccountLock(db, account.id)] : []),
      ...(change.password || columns.status === userStatus.disabled
        ? endSignIns(db, account.id)
        : []),
    ];
    return { columns, writes, audits: call.audit("user.update", account.uuid, changes) };
  };

  const batchOf = (...asked: Parameters<typeof planOf>): Write[] => {
    const { writes, audits } = planOf(...asked);
    return [...writes, ...audits];
  };

  /** An edit without money or a password, planned for one account among many. */
  const planChange = (
    call: AuthenticatedContext,
    account: UserAccount,
    change: Pick<UserEdit, "status" | "group">,
  ) => {
    checkCanManage(call.principal, account);
    return planOf(call, account, change, {});
  };

  /** An edit with an `Idempotency-Key` is done once, for it may take or give quota. */
  const change = async (
    call: AuthenticatedContext,
    reference: Reference,
    edit: UserEdit,
  ): Promise<UserAccount> => {
    const { password: _, ...fingerprinted } = edit;
    const ended = await idempotent(db, call, {
      name: "user.update",
      body: { ...reference, ...fingerprinted },
      create: (remember) => changeOnce(call, reference, edit, remember),
    });
    if (ended === waiting) throw refuse("quota_waits_for_root");
    return findManageable(call, reference);
  };

  /** Returns what the edit ended as: `waiting`, or anything else. */
  async function changeOnce(
    call: AuthenticatedContext,
    reference: Reference,
    edit: UserEdit,
    remember: (ending: string) => Write[],
  ): Promise<string> {
    let account = await findManageable(call, reference);
    check(call, account, edit);
    const password = edit.password ? await readAssignedPasswordColumns(edit.password, call) : {};
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const batch = batchOf(call, account, edit, password);
      if (batch.length === 0) return account.uuid;
      const { amount } = computeQuotaAdjustment(account, edit);
      const issue = {
        kind: "user",
        target_uuid: account.uuid,
        name: "",
        quota: amount,
        count: 1,
        amount,
      } as const;
      try {
        const outcome = await issuance.issue(call, issue, {
          batch: [...batch, ...remember(account.uuid)],
          otherwise: remember(waiting),
          changes: ["users"],
        });
        return outcome === "issued" ? account.uuid : waiting;
      } catch (error) {
        if (!(error instanceof StaleWrite) || error.code === "quota_requests_full") throw error;
        account = await findManageable(call, { id: account.id });
      }
    }
    throw refuse("changed_meanwhile");
  }

  /** Running calls still settle, and the ledger keeps the wallet. */
  const remove = async (call: AuthenticatedContext, reference: Reference): Promise<UserAccount> => {
    const account = await findManageable(call, reference);
    checkNotSelf(call.principal, account);
    const { principal, now } = call;
    const { debt } = account;
    const deletedColumns = {
      status: userStatus.deleted,
      updated_at: Math.max(now, account.updated_at + 1),
    };
    const id = db.mintId();
    const batch = [
      ...planWaiverWrites(db, {
        id,
        walletId: account.wallet_id,
        amount: debt,
        at: now,
        missed: "changed_meanwhile",
      }),
      ...(account.role >= roles.root ? [users.requireRole(principal.id, roles.root)] : []),
      users.edit(account, deletedColumns),
      ...debtLogRow(account, id, `the account was deleted by ${principal.username}`, {
        code: "debt_of_deleted",
        params: { quota: account.debt, by: principal.username },
      }),
      ...endSignIns(db, account.id),
      ...call.audit("user.delete", account.uuid, {
        username: account.username,
        ...(debt > 0 && { debt_written_off: debt }),
      }),
    ];
    await db.write(batch, { changes: ["users"] });
    return { ...account, ...deletedColumns };
  };

  /** The operator bears what the account owes, so that it can make calls again. */
  const waiveDebt = async (
    call: AuthenticatedContext,
    reference: Reference,
  ): Promise<UserAccount> => {
    const account = await findManageable(call, reference);
    const { debt, wallet_id, uuid } = account;
    if (debt === 0) throw refuse("no_debt");
    const id = db.mintId();
    await db.write([
      ...planWaiverWrites(db, {
        id,
        walletId: wallet_id,
        amount: debt,
        at: call.now,
        missed: "changed_meanwhile",
      }),
      ...debtLogRow(account, id, `waived by ${call.principal.username}`, {
        code: "debt_waived",
        params: { quota: account.debt, by: call.principal.username },
      }),
      ...call.audit("user.waive_debt", uuid, { debt }),
    ]);
    return findManageable(call, { id: account.id });
  };

  const debtLogRow = (
    { id: user_id, username, debt }: UserAccount,
    id: number,
    why: string,
    event: LogEvent,
  ): Write[] => {
    if (debt === 0) return [];
    const content = `debt of ${formatQuotaText(debt, options)} written off: ${why}`;
    const logged = { id, type: logTypes.management, user_id, username, quota: 0, content, event };
    return [planEventRow(db, logged)];
  };

  return { findManageable, change, planChange, remove, waiveDebt };
}
