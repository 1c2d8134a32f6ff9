/** Compares a source with what was carried from it: accounts, balances, counters, keys that open, codes, and prices. */
import { sql as raw } from "kysely";
import { hashCode } from "../redemptions/redemption-rules.ts";
import { SealError } from "../secrets/seal.ts";
import { tokenKeyContext, tokenKeyPurpose } from "../tokens/token-view.ts";
import type { ImportDifference, VerifyRun } from "./import-differences.ts";
import type { ImportEntity, SourceCode, SourceKey, SourceToken, SourceUser } from "./import-items.ts";
import { verifyLogs } from "./verify-logs.ts";
import { verifyPrices } from "./verify-prices.ts";
import { hashOf } from "./writers/write-tokens.ts";

export interface ImportComparison {
  /** Rows that were compared, by entity. */
  compared: Partial<Record<ImportEntity | "call", number>>;
  differences: readonly ImportDifference[];
}

const differencesMax = 10_000;

export async function verifyImport(run: VerifyRun): Promise<ImportComparison> {
  const differences: ImportDifference[] = [];
  const compared: ImportComparison["compared"] = {};
  const differ = (difference: ImportDifference): void => {
    if (differences.length < differencesMax) differences.push(difference);
  };
  const count = (entity: ImportEntity): void => {
    compared[entity] = (compared[entity] ?? 0) + 1;
  };
  for await (const page of run.source.users()) await comparePage(run, "user", page, compareUsers, { differ, count });
  for await (const page of run.source.tokens()) await comparePage(run, "token", page, compareTokens, { differ, count });
  for await (const page of run.source.codes()) await comparePage(run, "code", page, compareCodes, { differ, count });
  const prices = await verifyPrices(run);
  if (prices.compared > 0) compared.call = prices.compared;
  prices.differences.forEach(differ);
  const logs = await verifyLogs(run);
  if (logs.compared > 0) compared.log = logs.compared;
  logs.differences.forEach(differ);
  return { compared, differences };
}

interface Compared<Item> {
  sourceId: string;
  item: Item;
  ourId: number;
}
type Compare<Item> = (
  run: VerifyRun,
  rows: readonly Compared<Item>[],
  differ: (sourceId: string, difference: Pick<ImportDifference, "what" | "theirs" | "ours">) => void,
) => Promise<void>;

/** A row that is only in the source because it was left is in the report of the import, not here. */
async function comparePage<Item extends SourceUser | SourceToken | SourceCode>(
  run: VerifyRun,
  entity: ImportEntity,
  page: readonly { sourceId: string; item: Item | undefined }[],
  compare: Compare<Item>,
  { differ, count }: { differ(difference: ImportDifference): void; count(entity: ImportEntity): void },
): Promise<void> {
  const known = await run.imported.known(
    entity,
    page.map(({ sourceId }) => sourceId),
  );
  const nameOf = (item: Item): string => ("username" in item ? item.username : item.name);
  const rows: Compared<Item>[] = [];
  for (const { sourceId, item } of page) {
    if (!item) continue;
    count(entity);
    const ourId = known.get(sourceId)?.ourId;
    if (ourId === undefined)
      differ({ entity, sourceId, name: nameOf(item), what: "missing", theirs: "there", ours: "not carried" });
    else rows.push({ sourceId, item, ourId });
  }
  const names = new Map(rows.map(({ sourceId, item }) => [sourceId, nameOf(item)]));
  await compare(run, rows, (sourceId, difference) =>
    differ({ entity, sourceId, name: names.get(sourceId) ?? "", ...difference }),
  );
}

/** What the ledger says was carried: later calls and grants here do not change it. */
const compareUsers: Compare<SourceUser> = async ({ db }, rows, differ) => {
  if (rows.length === 0) return;
  const carried = raw<{ id: number; balance: number; used: number }>`
    select users.id,
      coalesce(credited.amount, 0) - coalesce(debited.amount, 0) - coalesce(owed.amount, 0) as balance,
      coalesce(charged.amount, 0) as used
    from users
    left join (select credit, sum(amount) as amount from ledger where kind = 'opening' group by credit) as credited
      on credited.credit = 'wallet:' || users.wallet_id
    left join (select debit, sum(amount) as amount from ledger where kind = 'opening' group by debit) as debited
      on debited.debit = 'wallet:' || users.wallet_id
    left join (select debit, sum(amount) as amount from ledger where kind = 'opening_debt' group by debit) as owed
      on owed.debit = 'debt:' || users.wallet_id
    left join (select user_id, sum(amount) as amount from ledger where kind = 'opening_use' group by user_id) as charged
      on charged.user_id = users.id
    where users.id in (${raw.join(rows.map(({ ourId }) => ourId))})`;
  const found = await db.read({ compile: () => carried.compile(db.sql) });
  const byId = new Map(found.map((row) => [row.id, row]));
  for (const { sourceId, item, ourId } of rows) {
    const ours = byId.get(ourId);
    for (const [what, theirs, mine] of [
      ["balance", item.balance, Number(ours?.balance)],
      ["used quota", item.usedQuota, Number(ours?.used)],
    ] as const)
      if (theirs !== mine) differ(sourceId, { what, theirs: String(theirs), ours: String(mine) });
  }
};

const compareTokens: Compare<SourceToken> = async ({ db, seal }, rows, differ) => {
  if (rows.length === 0) return;
  const ids = rows.map(({ ourId }) => ourId);
  const columns = ["id", "uuid", "key_hash", "key_sealed", "remain_quota", "used_quota", "unlimited_quota"] as const;
  const found = await db.read(db.sql.selectFrom("tokens").select(columns).where("id", "in", ids));
  const carried = raw<{ token_id: number; used: number }>`
    select token_id, sum(amount) as used from ledger
    where kind = 'opening_use' and token_id in (${raw.join(ids)}) group by token_id`;
  const usedById = new Map(
    (await db.read({ compile: () => carried.compile(db.sql) })).map(({ token_id, used }) => [token_id, Number(used)]),
  );
  const byId = new Map(found.map((row) => [row.id, row]));
  for (const { sourceId, item, ourId } of rows) {
    const token = byId.get(ourId);
    if (!token) {
      differ(sourceId, { what: "missing", theirs: "there", ours: "deleted" });
      continue;
    }
    if (token.key_hash !== hashOf(item.key) || !opens(token, item.key, seal))
      differ(sourceId, { what: "key", theirs: "its key", ours: "another key" });
    const used = usedById.get(ourId) ?? 0;
    if (used !== item.usedQuota)
      differ(sourceId, { what: "used quota", theirs: String(item.usedQuota), ours: String(used) });
    // Calls here take from the one what they add to the other.
    const remaining = token.remain_quota + (token.used_quota - used);
    if (token.unlimited_quota === 0 && remaining !== item.remainQuota)
      differ(sourceId, { what: "remaining quota", theirs: String(item.remainQuota), ours: String(remaining) });
  }
};

function opens(
  { uuid, key_sealed }: { uuid: string; key_sealed: string },
  key: SourceKey,
  seal: VerifyRun["seal"],
): boolean {
  if (key.kind === "hashed") return true;
  try {
    return seal.open(tokenKeyPurpose, tokenKeyContext(uuid), key_sealed) === key.text;
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}

const compareCodes: Compare<SourceCode> = async ({ db }, rows, differ) => {
  if (rows.length === 0) return;
  const ids = rows.map(({ ourId }) => ourId);
  const found = await db.read(
    db.sql.selectFrom("redemptions").select(["id", "key_hash", "quota", "status"]).where("id", "in", ids),
  );
  const byId = new Map(found.map((row) => [row.id, row]));
  for (const { sourceId, item, ourId } of rows) {
    const code = byId.get(ourId);
    if (code?.key_hash !== hashCode(item.code) || code.quota !== item.quota)
      differ(sourceId, { what: "code", theirs: String(item.quota), ours: String(code?.quota ?? "deleted") });
    else if (code.status !== item.status)
      differ(sourceId, { what: "status", theirs: String(item.status), ours: String(code.status) });
  }
};
