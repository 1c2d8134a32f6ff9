/**
 * Writes accounts with their wallets, passwords, second factors and counters, and in later runs
 * what changed there since.
 */
import { createHash } from "node:crypto";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import { isCarriedHash } from "../../../accounts/identity/users/passwords.ts";
import type { UserAccount } from "../../../accounts/identity/users/user-store.ts";
import { planOpeningUseWrites } from "../../../money/opening-writes.ts";
import type { Write } from "../../../storage/database.ts";
import type { Loss, SourceUser } from "../import-items.ts";
import {
  commit,
  commitTogether,
  findCarried,
  type ImportRun,
  type ImportWrite,
  leaveUnread,
  splitIntoBatches,
} from "../import-run.ts";
import type { ImportedItem, ImportedState } from "../import-store.ts";
import { planBalanceWrites } from "./carried-balance.ts";
import { type NewUser, planUserWrites, readUser } from "./new-users.ts";
import { readTakenNames } from "./taken-names.ts";

interface ReadUser {
  sourceId: string;
  user: SourceUser;
}

export async function writeUsers(run: ImportRun): Promise<void> {
  const taken = await readTakenNames(run.db, {
    keepRoot: run.keepRoot,
    oidcAccounts: run.seen.oidcAccounts,
  });
  const inviters: { sourceId: string; inviter: string; state: ImportedState }[] = [];
  for await (const page of run.source.users()) {
    run.seen.presence.note("user", page);
    for (const batch of splitIntoBatches(page)) {
      const known = await findCarried(run, "user", batch);
      const changed: ImportWrite[] = [];
      const added: NewUser[] = [];
      for (const reading of batch) {
        const { sourceId, item: user, losses } = reading;
        const before = known.get(sourceId);
        if (!user) {
          leaveUnread(run, "user", reading, before !== undefined);
          continue;
        }
        // A team is carried as one, unless an earlier run made an account of it.
        if (user.teamSourceId !== undefined) {
          if (!before) continue;
          run.report.lose(buildTeamLoss(sourceId, user));
        }
        run.seen.userSourceIds.add(sourceId);
        run.seen.groups.add(user.group);
        const state = buildUserState(user);
        if (user.passwordHash !== "" && before?.state.access === state.access)
          run.seen.presence.confirmUser();
        if (before) changed.push(await changeUser(run, { sourceId, user }, before));
        else {
          run.report.lose(...losses);
          added.push(
            await readUser(run, { sourceId, user, state: { ...state, updatedAt: run.now } }, taken),
          );
        }
        if (user.inviterSourceId !== undefined && before?.state.inviter !== user.inviterSourceId)
          inviters.push({ sourceId, inviter: user.inviterSourceId, state });
      }
      await commit(run, changed);
      await commitTogether(run, added, (some) => planUserWrites(run, some));
    }
  }
  if (!run.isPlan) for (const batch of splitIntoBatches(inviters)) await writeInviters(run, batch);
}

const buildTeamLoss = (sourceId: string, { username }: SourceUser): Loss => ({
  ...{ entity: "user", sourceId, name: username },
  ...{ field: "", reason: "team_as_account", value: "" },
});

const buildUserState = (user: SourceUser): ImportedState => ({
  balance: user.balance,
  used: user.usedQuota,
  requests: user.requestCount,
  access: readAccessDigest(user),
});

/** `readAccessDigest` covers the members that decide whether and how the user gets in. */
export const readAccessDigest = ({ passwordHash, isEnabled, role, group }: SourceUser): string =>
  createHash("sha256")
    .update(JSON.stringify([passwordHash, isEnabled, role, group]))
    .digest("hex")
    .slice(0, 16);

/**
 * `changeUser` keeps the amounts that calls moved here meanwhile: only the difference in the source
 * is carried.
 */
async function changeUser(
  run: ImportRun,
  { sourceId, user }: ReadUser,
  before: ImportedItem,
): Promise<ImportWrite> {
  const after = buildUserState(user);
  const unchanged = (
    outcome: ImportWrite["outcome"],
    writes: readonly Write[] = [],
  ): ImportWrite => ({
    entity: "user",
    sourceId,
    name: user.username,
    outcome,
    writes,
  });
  const isSame = Object.entries(after).every(([name, value]) => before.state[name] === value);
  if (isSame) return unchanged("unchanged");
  const lose = (reason: ImportLossReason, field: string, value = ""): void => {
    const loss: Loss = { entity: "user", sourceId, name: user.username, field, reason, value };
    run.report.lose(loss);
  };
  const account = await run.users.byId(before.ourId);
  if (!account) {
    lose("changed_here", "");
    return unchanged("unchanged");
  }
  const used = user.usedQuota - Number(before.state.used);
  const requests = user.requestCount - Number(before.state.requests);
  if (used < 0) lose("changed_in_source", "used_quota", String(used));
  const isAccessChanged = before.state.access !== after.access;
  const updatedAt = Math.max(run.now, account.updated_at + 1);
  const isEditedHere =
    before.state.updatedAt !== undefined && before.state.updatedAt !== account.updated_at;
  const writes = [
    ...(await planBalanceWrites(run, account, user.balance - Number(before.state.balance))),
    ...planOpeningUseWrites(
      run.db,
      "users",
      [{ id: run.db.mintId(), uuid: account.uuid, amount: Math.max(0, used) }],
      run.now,
    ),
    ...requestCountWrites(run, account.id, Math.max(0, requests)),
    ...(isAccessChanged
      ? planAccessWrites(run, account, { user, updatedAt, isEditedHere, lose })
      : []),
    run.imported.put("user", sourceId, account.id, {
      ...before.state,
      ...after,
      ...(isAccessChanged && !isEditedHere && { updatedAt }),
    }),
  ];
  return unchanged("changed", writes);
}

const requestCountWrites = ({ db }: ImportRun, id: number, by: number): Write[] =>
  by === 0
    ? []
    : [
        {
          query: db.sql
            .updateTable("users")
            .set(({ eb }) => ({ request_count: eb("request_count", "+", by) }))
            .where("id", "=", id),
          rows: 1,
        },
      ];

/**
 * `planAccessWrites` keeps a password that its owner changed here; hashing it anew at a sign-in is
 * no change. Rights that were taken there end here; those that were given there are root's to give.
 */
function planAccessWrites(
  { users }: ImportRun,
  account: UserAccount,
  {
    user,
    updatedAt,
    isEditedHere,
    lose,
  }: {
    user: SourceUser;
    updatedAt: number;
    isEditedHere: boolean;
    lose: (reason: ImportLossReason, field: string) => void;
  },
): Write[] {
  const isStillImported = isCarriedHash(account.password_hash);
  if (!isStillImported && user.passwordHash !== "") lose("changed_here", "password");
  if (account.group !== user.group) lose("changed_in_source", "group");
  const role = readCarriedRole(user, account.role);
  const isLowered = role < account.role && account.role !== roles.root;
  if (isLowered && isEditedHere) lose("changed_here", "role");
  else if (role !== account.role && !isLowered) lose("changed_in_source", "role");
  const rights =
    isLowered && !isEditedHere
      ? { role, ...(role < roles.admin && { read_only: 0 as const }) }
      : {};
  const status = user.isEnabled ? account.status : userStatus.disabled;
  const password =
    isStillImported && user.passwordHash !== "" ? { password_hash: user.passwordHash } : {};
  return [users.update(account.id, { ...password, ...rights, status, updated_at: updatedAt })];
}

/** `readCarriedRole` is what a role there is here: root of there is an administrator, unless kept. */
export const readCarriedRole = ({ role }: Pick<SourceUser, "role">, ours: number): number =>
  role === roles.root && ours !== roles.root ? roles.admin : role;

async function writeInviters(
  run: ImportRun,
  batch: readonly { sourceId: string; inviter: string; state: ImportedState }[],
): Promise<void> {
  const known = await run.imported.known(
    "user",
    batch.flatMap(({ sourceId, inviter }) => [sourceId, inviter]),
  );
  const writes = batch.flatMap(({ sourceId, inviter }): Write[] => {
    const [invited, inviting] = [known.get(sourceId), known.get(inviter)];
    if (!invited || !inviting) return [];
    return [
      run.users.update(invited.ourId, { inviter_id: inviting.ourId }),
      run.imported.put("user", sourceId, invited.ourId, { ...invited.state, inviter }),
    ];
  });
  if (writes.length > 0) await run.db.write(writes, { changes: ["users"] });
}
