/** Writes accounts with their wallets, passwords, second factors and counters, and in later runs what changed there since. */
import { createHash } from "node:crypto";
import type { ImportLossReason } from "@tollgate/contract/import-losses.ts";
import { roles, userStatus } from "@tollgate/contract/roles.ts";
import { hashSecret } from "../../identity/sessions/session-cookie.ts";
import { seedContext, seedPurpose } from "../../identity/totp/second-factor.ts";
import { importedHashOf, importedPasswordMatches } from "../../identity/users/imported-passwords.ts";
import type { UserAccount } from "../../identity/users/user-store.ts";
import { grantWrites } from "../../money/grant-writes.ts";
import { openingDebtWrites, openingUseWrites } from "../../money/opening-writes.ts";
import type { Write } from "../../storage/database.ts";
import { uuid7 } from "../../storage/time-ids.ts";
import type { Loss, SourceUser } from "../import-items.ts";
import { commit, type ImportRun, type ImportWrite, inBatches, leave } from "../import-run.ts";
import type { ImportedItem, ImportedState } from "../import-store.ts";
import { readTakenNames, type TakenNames } from "./taken-names.ts";

/** The password that the family gives its first account. */
const wellKnownPassword = "123456";

interface ReadUser {
  sourceId: string;
  user: SourceUser;
}

export async function writeUsers(run: ImportRun): Promise<void> {
  const taken = await readTakenNames(run.db, { reserved: run.reservedNames, oidcAccounts: run.seen.oidcAccounts });
  const inviters: { sourceId: string; inviter: string; state: ImportedState }[] = [];
  for await (const page of run.source.users()) {
    for (const batch of inBatches(page)) {
      const known = await run.imported.known(
        "user",
        batch.map(({ sourceId }) => sourceId),
      );
      const rows: ImportWrite[] = [];
      for (const { sourceId, item: user, losses } of batch) {
        if (!user) {
          leave(run, { entity: "user" }, losses);
          continue;
        }
        run.seen.userSourceIds.add(sourceId);
        run.seen.groups.add(user.group);
        const before = known.get(sourceId);
        if (before) {
          const change = await changedUser(run, { sourceId, user }, before);
          rows.push(change);
        } else {
          run.report.lose(...losses);
          rows.push(await newUser(run, { sourceId, user }, taken));
        }
        const state = stateOf(user);
        if (user.inviterSourceId !== undefined && before?.state.inviter !== user.inviterSourceId)
          inviters.push({ sourceId, inviter: user.inviterSourceId, state });
      }
      await commit(run, rows);
    }
  }
  if (!run.isPlan) for (const batch of inBatches(inviters)) await writeInviters(run, batch);
}

const stateOf = (user: SourceUser): ImportedState => ({
  balance: user.balance,
  used: user.usedQuota,
  requests: user.requestCount,
  access: accessDigest(user),
});

/** What decides whether and how the user gets in. */
const accessDigest = ({ passwordHash, isEnabled, role, group }: SourceUser): string =>
  createHash("sha256")
    .update(JSON.stringify([passwordHash, isEnabled, role, group]))
    .digest("hex")
    .slice(0, 16);

async function newUser(run: ImportRun, { sourceId, user }: ReadUser, taken: TakenNames): Promise<ImportWrite> {
  const { db, now, seal } = run;
  const names = taken.take(sourceId, user);
  const lose = (reason: ImportLossReason, field: string, value = "") =>
    run.report.lose({ entity: "user", sourceId, name: user.username, field, reason, value });
  for (const { reason, field, value } of names.problems) lose(reason, field, value);
  const isRoot = user.role === roles.root;
  const keepsRoot = isRoot && run.keepRoot.has(user.username);
  if (isRoot && !keepsRoot) lose("role_lowered", "role");
  const isWellKnown = isRoot && (await hasWellKnownPassword(user.passwordHash));
  if (isWellKnown) lose("password_well_known", "password");

  const [uuid, walletUuid] = [user.uuid ?? uuid7(now), uuid7(now)];
  const idOf = db.sql.selectFrom("users").select("id").where("uuid", "=", uuid);
  const createdAt = user.createdAtMs ?? now;
  const row = {
    uuid,
    username: names.username,
    display_name: user.displayName || names.username.slice(0, 20),
    email: names.email,
    password_hash: user.passwordHash,
    role: isRoot && !keepsRoot ? roles.admin : user.role,
    status: user.isEnabled ? userStatus.enabled : userStatus.disabled,
    group: user.group,
    must_change_password: user.mustChangePassword || isWellKnown ? (1 as const) : (0 as const),
    access_token_hash: user.accessToken === undefined ? null : hashSecret(user.accessToken),
    created_at: createdAt,
    updated_at: now,
  };
  const identities = names.externalAccounts.map(
    ({ provider, externalId }): Write => ({
      query: db.sql
        .insertInto("external_accounts")
        .values({ provider, external_id: externalId, user_id: idOf, name: "", created_at: now }),
      rows: 1,
    }),
  );
  const code = names.invitationCode;
  const seed = user.totpSeed;
  const writes: Write[] = [
    ...run.users.insertWithWallet(row, walletUuid, names),
    ...grantWrites(db, {
      id: db.mintId(),
      wallet: { uuid: walletUuid },
      amount: Math.max(0, user.balance),
      at: now,
      kind: "opening",
    }),
    ...openingDebtWrites(db, walletUuid, { id: db.mintId(), amount: Math.max(0, -user.balance), at: now }),
    ...openingUseWrites(db, { table: "users", uuid }, { id: db.mintId(), amount: user.usedQuota, at: now }),
    ...requestCountWrites(run, uuid, user.requestCount),
    ...identities,
    ...(code === undefined
      ? []
      : [
          {
            query: db.sql.insertInto("invitation_codes").values({ user_id: idOf, code, created_at: now }),
            rows: 1,
          },
        ]),
    ...(seed === undefined
      ? []
      : [
          {
            query: db.sql.insertInto("second_factors").values({
              user_id: idOf,
              secret_sealed: seal.seal(seedPurpose, seedContext(uuid), Buffer.from(seed).toString("base64")),
              created_at: now,
              enabled_at: now,
            }),
            rows: 1,
          },
        ]),
    run.imported.remember("user", sourceId, "users", uuid, stateOf(user)),
  ];
  return { entity: "user", sourceId, name: user.username, outcome: "added", writes };
}

async function hasWellKnownPassword(hash: string): Promise<boolean> {
  const imported = importedHashOf(hash);
  return imported !== undefined && (await importedPasswordMatches(wellKnownPassword, imported));
}

const requestCountWrites = ({ db }: ImportRun, uuid: string, by: number): Write[] =>
  by === 0
    ? []
    : [
        {
          query: db.sql
            .updateTable("users")
            .set(({ eb }) => ({ request_count: eb("request_count", "+", by) }))
            .where("uuid", "=", uuid),
          rows: 1,
        },
      ];

/** What calls moved here meanwhile stays: only the difference in the source is carried. */
async function changedUser(run: ImportRun, { sourceId, user }: ReadUser, before: ImportedItem): Promise<ImportWrite> {
  const after = stateOf(user);
  const unchanged = (outcome: ImportWrite["outcome"], writes: readonly Write[] = []): ImportWrite => ({
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
  const writes = [
    ...(await balanceWrites(run, account, user.balance - Number(before.state.balance))),
    ...openingUseWrites(
      run.db,
      { table: "users", uuid: account.uuid },
      { id: run.db.mintId(), amount: Math.max(0, used), at: run.now },
    ),
    ...requestCountWrites(run, account.uuid, Math.max(0, requests)),
    ...(before.state.access === after.access ? [] : accessWrites(run, account, user, lose)),
    run.imported.put("user", sourceId, account.id, { ...before.state, ...after }),
  ];
  return unchanged("changed", writes);
}

/** What was spent there and is no longer free here becomes a debt. */
async function balanceWrites({ db, now }: ImportRun, account: UserAccount, difference: number): Promise<Write[]> {
  const wallet = { id: account.wallet_id } as const;
  if (difference >= 0)
    return grantWrites(db, { id: db.mintId(), wallet, amount: difference, at: now, kind: "opening" });
  const taken = Math.min(-difference, account.balance - account.held);
  const [stored] = await db.read(db.sql.selectFrom("wallets").select("uuid").where("id", "=", account.wallet_id));
  return [
    ...grantWrites(db, { id: db.mintId(), wallet, amount: -taken, at: now, kind: "opening" }),
    ...openingDebtWrites(db, stored?.uuid ?? "", { id: db.mintId(), amount: -difference - taken, at: now }),
  ];
}

/** A password that was already renewed here is newer than that of the source. */
function accessWrites(
  { users, now }: ImportRun,
  account: UserAccount,
  user: SourceUser,
  lose: (reason: ImportLossReason, field: string) => void,
): Write[] {
  const isStillImported = importedHashOf(account.password_hash) !== undefined;
  if (!isStillImported && user.passwordHash !== "") lose("changed_here", "password");
  if (account.group !== user.group) lose("changed_in_source", "group");
  const status = user.isEnabled ? account.status : userStatus.disabled;
  const password = isStillImported && user.passwordHash !== "" ? { password_hash: user.passwordHash } : {};
  return [users.update(account.id, { ...password, status, updated_at: Math.max(now, account.updated_at + 1) })];
}

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
