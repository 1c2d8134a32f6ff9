/**
 * Rows that were carried of the kinds whose deletion in the source is followed, as they stand here.
 */

import { redemptionStatus } from "@tollgate/contract/accounts/redemptions.ts";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { sql as raw } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import type { FollowedKind } from "./import-items.ts";
import type { ImportedState, ImportStore } from "./import-store.ts";
import type { SourcePresence, SourceWitness } from "./source-presence.ts";

interface FollowedTable {
  table: "users" | "teams" | "tokens" | "redemptions" | "channels";
  name: "username" | "name";
  /** Statuses in which a row is of use, or becomes so by itself. */
  open: readonly number[];
  disabled: number;
}

const tables: Readonly<Record<FollowedKind, FollowedTable>> = {
  user: {
    table: "users",
    name: "username",
    open: [userStatus.enabled],
    disabled: userStatus.disabled,
  },
  team: {
    table: "teams",
    name: "name",
    open: [teamStatus.enabled],
    disabled: teamStatus.disabled,
  },
  token: {
    table: "tokens",
    name: "name",
    open: [tokenStatus.enabled, tokenStatus.exhausted],
    disabled: tokenStatus.disabled,
  },
  code: {
    table: "redemptions",
    name: "name",
    open: [redemptionStatus.unused],
    disabled: redemptionStatus.disabled,
  },
  channel: {
    table: "channels",
    name: "name",
    open: [channelStatus.enabled, channelStatus.autoDisabled],
    disabled: channelStatus.disabled,
  },
};

export const computeDisabledStatus = (kind: FollowedKind): number => tables[kind].disabled;

/** A row that was carried and is still here. */
export interface CarriedRow {
  kind: FollowedKind;
  sourceId: string;
  ourId: number;
  state: ImportedState;
  uuid: string;
  name: string;
  status: number;
  updatedAt: number;
  isRoot: boolean;
  isOpen: boolean;
  /** An administrator, or the owner, edited it after the import wrote it. */
  isChangedHere: boolean;
}

interface StoredRow {
  id: number;
  uuid: string;
  name: string;
  status: number;
  updated_at: number;
  role: number;
}

/** `streamCarriedRows` gives all that was carried of one kind, in pages. */
export async function* streamCarriedRows(
  { db, imported }: { db: Pick<Database, "sql" | "read">; imported: ImportStore },
  kind: FollowedKind,
): AsyncGenerator<readonly CarriedRow[]> {
  const { table, name, open } = tables[kind];
  const role = kind === "user" ? raw.ref("role") : raw.lit(0);
  for await (const page of imported.pages(kind)) {
    const ids = raw.join(page.map(({ ourId }) => ourId));
    const query = raw<StoredRow>`
      select id, uuid, ${raw.ref(name)} as name, status, updated_at, ${role} as role
      from ${raw.table(table)} where id in (${ids})`;
    const stored = new Map(
      (await db.read({ compile: () => query.compile(db.sql) })).map((row) => [Number(row.id), row]),
    );
    yield page.flatMap(({ sourceId, ourId, state }): CarriedRow[] => {
      const row = stored.get(ourId);
      if (!row) return [];
      const updatedAt = Number(row.updated_at);
      return [
        {
          kind,
          sourceId,
          ourId,
          state,
          uuid: row.uuid,
          name: row.name,
          status: Number(row.status),
          updatedAt,
          isRoot: Number(row.role) === roles.root,
          isOpen: open.includes(Number(row.status)),
          // Earlier versions did not note it of every kind.
          isChangedHere: state.updatedAt !== undefined && state.updatedAt !== updatedAt,
        },
      ];
    });
  }
}

/**
 * `isGone` gives what no reading found although it was carried. Rows that the import made itself
 * are in no source.
 */
export const isGone = (
  { kind, sourceId }: Pick<CarriedRow, "kind" | "sourceId">,
  presence: Pick<SourcePresence, "has">,
  made: readonly string[],
): boolean => !presence.has(kind, sourceId) && !made.includes(sourceId);

/** Misses when the row changed after it was read. */
export function planStatusWrite(
  { sql }: Pick<Database, "sql">,
  { kind, ourId, status: before, updatedAt }: CarriedRow,
  { status, at }: { status: number; at: number },
): Write {
  const query = raw`
    update ${raw.table(tables[kind].table)} set status = ${status}, updated_at = ${at}
    where id = ${ourId} and status = ${before} and updated_at = ${updatedAt}`;
  return { query: { compile: () => query.compile(sql) }, rows: 1 };
}

/**
 * `compareWitnesses` says how many of the witnesses that were carried have the secret here that
 * they have in the source.
 */
export async function compareWitnesses(
  { db, imported }: { db: Pick<Database, "sql" | "read">; imported: ImportStore },
  witnesses: readonly SourceWitness[],
): Promise<{ same: number; other: number }> {
  const compared = { same: 0, other: 0 };
  for (const [kind, some] of Map.groupBy(witnesses, ({ kind }) => kind)) {
    const known = await imported.known(
      kind,
      some.map(({ sourceId }) => sourceId),
    );
    const ids = [...known.values()].map(({ ourId }) => ourId);
    if (ids.length === 0) continue;
    const table = kind === "token" ? "tokens" : "redemptions";
    const rows = await db.read(
      db.sql.selectFrom(table).select(["id", "key_hash"]).where("id", "in", ids),
    );
    const hashes = new Map(rows.map(({ id, key_hash }) => [id, key_hash]));
    for (const { sourceId, value } of some) {
      const hash = hashes.get(known.get(sourceId)?.ourId ?? 0);
      if (hash !== undefined) compared[hash === value ? "same" : "other"] += 1;
    }
  }
  return compared;
}
