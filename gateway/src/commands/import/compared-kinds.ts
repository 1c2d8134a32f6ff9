/** The facts that are compared of each kind of thing that an import carries. */

import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { channelInput } from "@tollgate/contract/catalogue/channel-input.ts";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { sql as raw } from "kysely";
import * as z from "zod/mini";
import { hashCode } from "../../accounts/redemptions/redemption-rules.ts";
import { composeTokenKeyContext, tokenKeyPurpose } from "../../accounts/tokens/token-view.ts";
import { SealError } from "../../secrets/seal.ts";
import type { ImportDifference, VerifyRun } from "./import-differences.ts";
import type {
  FollowedKind,
  SourceChannel,
  SourceCode,
  SourceKey,
  SourceToken,
  SourceUser,
} from "./import-items.ts";
import { readTeamHolders } from "./writers/team-holders.ts";
import { readTakenCodes } from "./writers/write-codes.ts";
import { hashSourceKey, readTakenKeys } from "./writers/write-tokens.ts";
import { readAccessDigest, readCarriedRole } from "./writers/write-users.ts";

export interface SourceItem<Item> {
  sourceId: string;
  item: Item;
}

export interface Compared<Item> extends SourceItem<Item> {
  ourId: number;
}

export type Compare<Item> = (
  run: VerifyRun,
  rows: readonly Compared<Item>[],
  differ: (
    sourceId: string,
    difference: Pick<ImportDifference, "what" | "theirs" | "ours">,
  ) => void,
) => Promise<void>;

export interface ComparedKind<Item> {
  entity: FollowedKind;
  nameOf(item: Item): string;
  compare: Compare<Item>;
  /**
   * `left` tells, of rows that were not carried, those that no run carries: the report of the
   * import has a line for each.
   */
  left(run: VerifyRun, items: readonly Item[]): Promise<(item: Item) => boolean>;
}

interface CarriedAccount {
  id: number;
  role: number;
  status: number;
  balance: number;
  used: number;
}

/**
 * `compareUsers` gives what the ledger says was carried: later calls and grants here do not change
 * it.
 */
const compareUsers: Compare<SourceUser> = async ({ db, imported }, rows, differ) => {
  if (rows.length === 0) return;
  const carried = raw<CarriedAccount>`
    select users.id, users.role, users.status,
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
  const states = await imported.known(
    "user",
    rows.map(({ sourceId }) => sourceId),
  );
  for (const { sourceId, item, ourId } of rows) {
    const ours = byId.get(ourId);
    for (const [what, theirs, mine] of [
      ["balance", item.balance, Number(ours?.balance)],
      ["used quota", item.usedQuota, Number(ours?.used)],
    ] as const)
      if (theirs !== mine) differ(sourceId, { what, theirs: String(theirs), ours: String(mine) });
    if (!item.isEnabled && Number(ours?.status) === userStatus.enabled)
      differ(sourceId, openHere(userStatus.disabled, userStatus.enabled));
    const role = Number(ours?.role);
    const theirs = readCarriedRole(item, role);
    // Fewer rights here are an administrator's decision, unless a later run has not read theirs yet.
    const isRead = states.get(sourceId)?.state.access === readAccessDigest(item);
    if (role > theirs || (role < theirs && !isRead))
      differ(sourceId, { what: "role", theirs: String(theirs), ours: String(role) });
  }
};

/**
 * `openHere` is the difference of a thing that is off there and open here. The other way round an
 * administrator of this gateway has decided.
 */
export const openHere = (theirs: number, ours: number) =>
  ({ what: "status", theirs: String(theirs), ours: String(ours) }) as const;

const compareTokens: Compare<SourceToken> = async ({ db, seal }, rows, differ) => {
  if (rows.length === 0) return;
  const ids = rows.map(({ ourId }) => ourId);
  const columns = [
    "id",
    "uuid",
    "key_hash",
    "key_sealed",
    "remain_quota",
    "used_quota",
    "unlimited_quota",
  ] as const;
  const found = await db.read(
    db.sql
      .selectFrom("tokens")
      .select([...columns, "status"])
      .where("id", "in", ids),
  );
  const carried = raw<{ token_id: number; used: number }>`
    select token_id, sum(amount) as used from ledger
    where kind = 'opening_use' and token_id in (${raw.join(ids)}) group by token_id`;
  const usedById = new Map(
    (await db.read({ compile: () => carried.compile(db.sql) })).map(({ token_id, used }) => [
      token_id,
      Number(used),
    ]),
  );
  const byId = new Map(found.map((row) => [row.id, row]));
  for (const { sourceId, item, ourId } of rows) {
    const token = byId.get(ourId);
    if (!token) {
      differ(sourceId, { what: "missing", theirs: "there", ours: "deleted" });
      continue;
    }
    if (token.key_hash !== hashSourceKey(item.key) || !opens(token, item.key, seal))
      differ(sourceId, { what: "key", theirs: "its key", ours: "another key" });
    if (item.status === tokenStatus.disabled && token.status === tokenStatus.enabled)
      differ(sourceId, openHere(item.status, token.status));
    const used = usedById.get(ourId) ?? 0;
    if (used !== item.usedQuota)
      differ(sourceId, { what: "used quota", theirs: String(item.usedQuota), ours: String(used) });
    // Calls here take from the one what they add to the other.
    const remaining = token.remain_quota + (token.used_quota - used);
    if (token.unlimited_quota === 0 && remaining !== item.remainQuota)
      differ(sourceId, {
        what: "remaining quota",
        theirs: String(item.remainQuota),
        ours: String(remaining),
      });
  }
};

function opens(
  { uuid, key_sealed }: { uuid: string; key_sealed: string },
  key: SourceKey,
  seal: VerifyRun["seal"],
): boolean {
  if (key.kind === "hashed") return true;
  try {
    return seal.open(tokenKeyPurpose, composeTokenKeyContext(uuid), key_sealed) === key.text;
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}

const compareCodes: Compare<SourceCode> = async ({ db }, rows, differ) => {
  if (rows.length === 0) return;
  const ids = rows.map(({ ourId }) => ourId);
  const found = await db.read(
    db.sql
      .selectFrom("redemptions")
      .select(["id", "key_hash", "quota", "status"])
      .where("id", "in", ids),
  );
  const byId = new Map(found.map((row) => [row.id, row]));
  for (const { sourceId, item, ourId } of rows) {
    const code = byId.get(ourId);
    if (code?.key_hash !== hashCode(item.code) || code.quota !== item.quota)
      differ(sourceId, {
        what: "code",
        theirs: String(item.quota),
        ours: String(code?.quota ?? "deleted"),
      });
    else if (code.status !== item.status)
      differ(sourceId, { what: "status", theirs: String(item.status), ours: String(code.status) });
  }
};

/** Settings of channels are an administrator's once they are carried. */
const compareChannels: Compare<SourceChannel> = async ({ db }, rows, differ) => {
  if (rows.length === 0) return;
  const ids = rows.map(({ ourId }) => ourId);
  const found = await db.read(
    db.sql.selectFrom("channels").select(["id", "status"]).where("id", "in", ids),
  );
  const statuses = new Map(found.map(({ id, status }) => [id, status]));
  for (const { sourceId, item, ourId } of rows)
    if (item.status === channelStatus.disabled && statuses.get(ourId) === channelStatus.enabled)
      differ(sourceId, openHere(channelStatus.disabled, channelStatus.enabled));
};

export const users: ComparedKind<SourceUser> = {
  entity: "user",
  nameOf: ({ username }) => username,
  compare: compareUsers,
  left: async () => () => false,
};

export const tokens: ComparedKind<SourceToken> = {
  entity: "token",
  nameOf: ({ name }) => name,
  compare: compareTokens,
  async left(run, items) {
    const owners = await run.imported.known(
      "user",
      items.map(({ ownerSourceId }) => ownerSourceId),
    );
    const holders = await readTeamHolders(run, items);
    const taken = await readTakenKeys(run, items);
    return (token) =>
      (!owners.has(token.ownerSourceId) && !holders.has(token)) ||
      taken.has(hashSourceKey(token.key));
  },
};

export const codes: ComparedKind<SourceCode> = {
  entity: "code",
  nameOf: ({ name }) => name,
  compare: compareCodes,
  async left(run, items) {
    const taken = await readTakenCodes(run, items);
    return ({ code }) => taken.has(hashCode(code));
  },
};

export const channels: ComparedKind<SourceChannel> = {
  entity: "channel",
  nameOf: ({ input }) => String(input.name ?? ""),
  compare: compareChannels,
  left:
    async () =>
    ({ input }) =>
      !z.safeParse(channelInput, input).success,
};
