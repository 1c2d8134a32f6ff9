/** Writes API keys, which go on working, and in later runs what changed there since. */
import { createHash } from "node:crypto";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import type { Insertable } from "kysely";
import { hashKey, readEnding } from "../../../accounts/tokens/token-rules.ts";
import { composeTokenKeyContext, tokenKeyPurpose } from "../../../accounts/tokens/token-view.ts";
import { planOpeningUseWrites } from "../../../money/opening-writes.ts";
import type { Write } from "../../../storage/database.ts";
import type { TokensTable } from "../../../storage/tables/token-tables.ts";
import { readUuid7 } from "../../../storage/time-ids.ts";
import type { SourceKey, SourceToken } from "../import-items.ts";
import {
  commit,
  commitTogether,
  findCarried,
  type ImportRow,
  type ImportRun,
  type ImportWrite,
  leave,
  leaveUnread,
  splitIntoBatches,
} from "../import-run.ts";
import type { ImportedItem, ImportedState } from "../import-store.ts";
import { buildAccountHolder, type KeyHolder, readTeamHolders } from "./team-holders.ts";

export async function writeTokens(run: ImportRun): Promise<void> {
  for await (const page of run.source.tokens()) {
    run.seen.presence.note("token", page);
    run.seen.presence.witness("token", page, ({ key }) => hashSourceKey(key));
    for (const batch of splitIntoBatches(page)) {
      const items = batch.flatMap(({ item }) => item ?? []);
      const known = await findCarried(run, "token", batch);
      const owners = await run.imported.known(
        "user",
        items.map(({ ownerSourceId }) => ownerSourceId),
      );
      const holders = await readTeamHolders(run, items);
      const taken = await readTakenKeys(run, items);
      const changed: ImportWrite[] = [];
      const added: NewToken[] = [];
      for (const reading of batch) {
        const { sourceId, item: token, losses } = reading;
        const before = known.get(sourceId);
        const lossOf = (reason: ImportLossReason) =>
          ({
            entity: "token",
            sourceId,
            name: token?.name ?? "",
            field: "",
            reason,
            value: "",
          }) as const;
        if (!token) leaveUnread(run, "token", reading, before !== undefined);
        else if (before) changed.push(await changeToken(run, sourceId, token, before));
        else if (
          !owners.has(token.ownerSourceId) &&
          !holders.has(token) &&
          !(run.isPlan && run.seen.userSourceIds.has(token.ownerSourceId))
        )
          leave(run, { entity: "token" }, [...losses, lossOf("owner_missing")]);
        else if (taken.has(hashSourceKey(token.key)))
          leave(run, { entity: "token" }, [...losses, lossOf("key_taken")]);
        else {
          taken.add(hashSourceKey(token.key));
          run.report.lose(...losses);
          // In a plan no account has an id yet.
          const owner = owners.get(token.ownerSourceId)?.ourId ?? 0;
          added.push(
            buildToken(run, sourceId, token, holders.get(token) ?? buildAccountHolder(owner)),
          );
        }
      }
      await commit(run, changed);
      await commitTogether(run, added, (some) => planTokenWrites(run, some));
    }
  }
}

/**
 * `hashSourceKey` gives the hash by which it is looked up for a call: of the key without its
 * prefix, or of the whole key.
 */
export const hashSourceKey = (key: SourceKey): string =>
  key.kind === "clear" ? hashKey(key.text) : key.sha256;

export async function readTakenKeys(
  { db }: Pick<ImportRun, "db">,
  tokens: readonly SourceToken[],
): Promise<Set<string>> {
  if (tokens.length === 0) return new Set();
  const hashes = tokens.map(({ key }) => hashSourceKey(key));
  const rows = await db.read(
    db.sql.selectFrom("tokens").select("key_hash").where("key_hash", "in", hashes),
  );
  return new Set(rows.map(({ key_hash }) => key_hash));
}

/** The columns that an owner may change here, which then stay. */
const buildSettings = (token: SourceToken) => ({
  status: token.status,
  unlimited_quota: token.isUnlimited ? (1 as const) : (0 as const),
  expired_at: token.expiredAtMs,
  models: token.models,
  subnet: token.subnet,
  groups: token.groups,
  ...token.limits,
});

/**
 * `formatSettingsText` is, without groups, the text of before keys had any, so that a later run
 * sees no change.
 */
const formatSettingsText = (token: SourceToken): string =>
  JSON.stringify({ ...buildSettings(token), groups: token.groups || undefined });

const buildState = (token: SourceToken, updatedAt: number): ImportedState => ({
  remain: token.remainQuota,
  used: token.usedQuota,
  settings: createHash("sha256").update(formatSettingsText(token)).digest("hex").slice(0, 16),
  updatedAt,
});

interface NewToken extends ImportRow {
  columns: Insertable<TokensTable>;
  token: SourceToken;
}

function buildToken(
  { seal, now }: ImportRun,
  sourceId: string,
  token: SourceToken,
  holder: KeyHolder,
): NewToken {
  const { key } = token;
  const uuid = readUuid7(now);
  const columns = {
    uuid,
    ...holder,
    name: token.name,
    key_hash: hashSourceKey(token.key),
    // A key that is known by its hash alone works, and cannot be shown.
    key_sealed:
      key.kind === "clear"
        ? seal.seal(tokenKeyPurpose, composeTokenKeyContext(uuid), key.text)
        : "",
    key_ending: key.kind === "clear" ? readEnding(key.text) : key.ending,
    remain_quota: token.remainQuota,
    ...buildSettings(token),
    created_at: token.createdAtMs ?? now,
    updated_at: now,
    accessed_at: token.accessedAtMs ?? token.createdAtMs ?? now,
  };
  return { entity: "token", sourceId, name: token.name, outcome: "added", columns, token };
}

function planTokenWrites(
  { db, tokens, imported, now }: ImportRun,
  added: readonly NewToken[],
): Write[] {
  if (added.length === 0) return [];
  const uses = added.map(({ columns: { uuid }, token }) => ({
    id: db.mintId(),
    uuid,
    amount: token.usedQuota,
  }));
  const remembered = added.map(({ columns: { uuid }, sourceId, token }) => ({
    uuid,
    sourceId,
    state: buildState(token, now),
  }));
  return [
    ...tokens.insert(added.map(({ columns }) => columns)),
    ...planOpeningUseWrites(db, "tokens", uses, now),
    imported.remember("token", "tokens", remembered),
  ];
}

async function changeToken(
  run: ImportRun,
  sourceId: string,
  token: SourceToken,
  { ourId, state }: ImportedItem,
): Promise<ImportWrite> {
  const { db, now } = run;
  const after = buildState(token, Number(state.updatedAt));
  const result = (outcome: ImportWrite["outcome"], writes: readonly Write[]): ImportWrite => ({
    entity: "token",
    sourceId,
    name: token.name,
    outcome,
    writes,
  });
  if (Object.entries(after).every(([name, value]) => state[name] === value))
    return result("unchanged", []);
  const lose = (reason: ImportLossReason, field: string): void =>
    run.report.lose({ entity: "token", sourceId, name: token.name, field, reason, value: "" });
  const [row] = await db.read(db.sql.selectFrom("tokens").selectAll().where("id", "=", ourId));
  if (!row) {
    lose("changed_here", "");
    return result("unchanged", []);
  }
  const used = token.usedQuota - Number(state.used);
  if (used < 0) lose("changed_in_source", "used_quota");
  const areSettingsChanged = after.settings !== state.settings;
  const isEditedHere = row.updated_at !== state.updatedAt;
  if (areSettingsChanged && isEditedHere) lose("changed_here", "status");
  const isCarried = areSettingsChanged && !isEditedHere;
  const updatedAt = isCarried ? Math.max(now, row.updated_at + 1) : Number(state.updatedAt);
  const remaining = token.remainQuota - Number(state.remain);
  return result("changed", [
    ...(remaining === 0 ? [] : [run.tokens.moveQuota(row, remaining)]),
    ...planOpeningUseWrites(
      db,
      "tokens",
      [{ id: db.mintId(), uuid: row.uuid, amount: Math.max(0, used) }],
      now,
    ),
    ...(isCarried
      ? [run.tokens.update(row, { ...buildSettings(token), updated_at: updatedAt })]
      : []),
    run.imported.put("token", sourceId, ourId, { ...after, updatedAt }),
  ]);
}
