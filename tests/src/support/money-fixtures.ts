/** Accounts and log rows with defaults for tests of the money verbs. */

import type { Database, Write } from "@tollgate/gateway/storage/database.ts";
import type { HoldCommand, SettleCommand } from "@tollgate/gateway/storage/money-commands.ts";
import { callRollupFolds, rollupFolds } from "@tollgate/gateway/storage/rollups.ts";
import type { LogRow } from "@tollgate/gateway/storage/tables/call-tables.ts";
import type { WalletRow } from "@tollgate/gateway/storage/tables/money-tables.ts";
import type { TokensTable } from "@tollgate/gateway/storage/tables/token-tables.ts";
import { readUuid7 } from "@tollgate/gateway/storage/time-ids.ts";
import type { Selectable } from "kysely";
import { rawRows } from "./raw-rows.ts";

export interface TestAccount {
  userId: number;
  walletId: number;
  tokenIds: number[];
  channelId: number;
}

/**
 * A user with a wallet that was granted `balance`, one token for each of `tokens` (null:
 * unlimited), and a channel.
 */
export async function createTestAccount(
  db: Database,
  balance: number,
  tokens: (number | null)[],
): Promise<TestAccount> {
  const now = Date.now();
  const common = { uuid: readUuid7(now), created_at: now, updated_at: now };
  const [wallet] = await insert(
    db,
    db.sql.insertInto("wallets").values({ uuid: common.uuid, created_at: now }),
  );
  const walletId = wallet ?? 0;
  const user = {
    ...common,
    username: common.uuid,
    display_name: "",
    email: "",
    password_hash: "",
    role: 1,
    status: 1,
    group: "default",
    wallet_id: walletId,
    must_change_password: 0,
    access_token_hash: null,
  } as const;
  const [userId = 0] = await insert(db, db.sql.insertInto("users").values(user));
  const tokenRow = (limit: number | null, n: number) =>
    ({
      ...common,
      uuid: readUuid7(now),
      user_id: userId,
      name: `token ${n}`,
      key_hash: readUuid7(now),
      key_sealed: "",
      status: 1,
      remain_quota: limit ?? 0,
      unlimited_quota: limit === null ? 1 : 0,
      expired_at: null,
      models: "",
      subnet: "",
      accessed_at: now,
    }) as const;
  const tokenIds = await insert(db, db.sql.insertInto("tokens").values(tokens.map(tokenRow)));
  const channel = {
    ...common,
    name: "channel",
    type: 1,
    status: 1,
    key_sealed: "",
    headers_sealed: "",
    proxy_sealed: "",
    proxy_hint: "",
    key_hint: "",
    base_url: "",
    other: "",
    models: "small",
    group: "default",
    config: "",
    priority: 0,
    weight: 0,
    ratelimit: 0,
    tag: "",
    balance_updated_at: 0,
    response_time: 0,
    tested_at: 0,
    disabled_reason: "",
    managed_by: "",
  };
  const [channelId = 0] = await insert(db, db.sql.insertInto("channels").values(channel));
  if (balance > 0)
    await db.money({ verb: "grant", id: db.mintId(), walletId, amount: balance, at: now });
  return { userId, walletId, tokenIds, channelId };
}

async function insert(
  db: Database,
  query: { returning(column: "id"): unknown },
): Promise<number[]> {
  const [result] = await db.write([{ query: query.returning("id") as Write["query"] }]);
  return ((result?.rows ?? []) as { id: number }[]).map(({ id }) => id);
}

export function holdOf(
  account: TestAccount,
  id: number,
  amount: number,
  changes: Partial<HoldCommand> = {},
): HoldCommand {
  const [tokenId = 0] = account.tokenIds;
  return {
    verb: "hold",
    id,
    walletId: account.walletId,
    userId: account.userId,
    tokenId,
    amount,
    tokenIsUnlimited: true,
    leaseUntil: Date.now() + 60_000,
    snapshot: "{}",
    ...changes,
  };
}

export function settleOf(
  account: TestAccount,
  id: number,
  charge: number,
  log: Partial<LogRow> = {},
): SettleCommand {
  return {
    verb: "settle",
    id,
    charge,
    log: logRow(account, id, { quota: charge, ...log }),
    trace: "{}",
  };
}

export function logRow(account: TestAccount, id: number, changes: Partial<LogRow> = {}): LogRow {
  return {
    id,
    type: 2,
    user_id: account.userId,
    username: "u",
    token_id: account.tokenIds[0] ?? 0,
    token_name: "t",
    channel_id: account.channelId,
    channel_name: "c",
    model_name: "small",
    origin_model_name: "small",
    quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    cached_prompt_tokens: 0,
    cache_write_5m_tokens: 0,
    cache_write_1h_tokens: 0,
    elapsed_ms: 0,
    ttft_ms: 0,
    is_stream: 0,
    outcome: "success",
    content: "",
    price: null,
    usage_details: null,
    retries: null,
    tags: null,
    cost_nanos: null,
    marks_saved: null,
    team_id: null,
    run: null,
    run_facts: null,
    ...changes,
  };
}

export async function walletOf(
  db: Database,
  { walletId }: TestAccount,
): Promise<Selectable<WalletRow>> {
  const [row] = await db.read(db.sql.selectFrom("wallets").selectAll().where("id", "=", walletId));
  if (!row) throw new Error(`there is no wallet ${walletId}`);
  return row;
}

export const tokensOf = (
  db: Database,
  { userId }: TestAccount,
): Promise<Selectable<TokensTable>[]> =>
  db.read(db.sql.selectFrom("tokens").selectAll().where("user_id", "=", userId).orderBy("id"));

/**
 * The sums of the wallet's charges: what its balance paid, what it came to owe, and what was lost.
 */
export async function chargesOf(
  db: Database,
  { userId }: TestAccount,
): Promise<{ charge: number; debt: number; shortfall: number }> {
  const rows = await db.read(
    db.sql.selectFrom("ledger").select(["kind", "amount"]).where("user_id", "=", userId),
  );
  const sum = (kind: string) =>
    rows.filter((row) => row.kind === kind).reduce((all, { amount }) => all + amount, 0);
  return { charge: sum("charge"), debt: sum("debt"), shortfall: sum("shortfall") };
}

/** Folds settled calls into the roll-ups at once; PostgreSQL does so each second. */
export async function foldRollups(db: Database): Promise<void> {
  if (db.dialect !== "postgres") return;
  const select = (text: string) => rawRows<{ left: number }>(db, text);
  // While another fold is running, this one returns at once without doing anything.
  const counts = Object.keys(rollupFolds).map((queue) => `(select count(*) from ${queue})`);
  const queued = `select ${counts.join(" + ")} as left`;
  while (((await select(queued))[0]?.left ?? 0) > 0)
    await select(`select ${callRollupFolds.join(" + ")} as left`);
}
