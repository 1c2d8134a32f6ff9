/** SQL on the batches that run at providers. */
import type { Database, Write } from "../../storage/database.ts";
import { planFewerRows } from "../../storage/rows-per-user.ts";
import type { ProviderBatchRow, ProviderFileRow } from "../../storage/tables/call-tables.ts";
import { findRowHolder, hasOwner, type KeptOwner, readOwner } from "../admission/kept-owner.ts";
import type { BatchDialectName } from "./batch-dialect.ts";

export type BatchStore = ReturnType<typeof createBatchStore>;

export interface BatchPage {
  after?: number | undefined;
  before?: number | undefined;
  limit: number;
}

/**
 * `openBatchesMax` is that of one user at a time: each occupies a part of the balance for up to a
 * day.
 */
export const openBatchesMax = 50;
/** Batches that one round asks about. */
const dueMax = 20;

export function createBatchStore({ sql, read }: Pick<Database, "sql" | "read">) {
  /** Nothing changes a batch that is charged: another node may have been faster. */
  const change = (id: number, columns: Partial<Omit<ProviderBatchRow, "id">>): Write => ({
    query: sql
      .updateTable("provider_batches")
      .set(columns)
      .where("id", "=", id)
      .where("state", "<>", "settled"),
  });
  const ofOwner = (owner: KeptOwner, dialect: BatchDialectName) =>
    sql
      .selectFrom("provider_batches")
      .selectAll()
      .where(hasOwner(owner))
      .where("dialect", "=", dialect)
      .where("batch_id", "is not", null);
  const notCharged = (owner: KeptOwner) => {
    const rows = sql
      .selectFrom("provider_batches")
      .where(hasOwner(owner))
      .where("state", "<>", "settled");
    return rows.select(({ fn }) => fn.countAll<number>().as("count"));
  };
  return {
    /** Misses where the user has as many batches that are not charged yet as a user may have. */
    insert(row: ProviderBatchRow): Write[] {
      const isAllowed = planFewerRows({ sql }, findRowHolder(row), notCharged(readOwner(row)), {
        max: openBatchesMax,
      });
      return [...isAllowed, { query: sql.insertInto("provider_batches").values(row) }];
    },

    change,
    remove: (id: number): Write => ({
      query: sql.deleteFrom("provider_batches").where("id", "=", id),
    }),

    async find(
      owner: KeptOwner,
      dialect: BatchDialectName,
      batchId: string,
    ): Promise<ProviderBatchRow | undefined> {
      const [row] = await read(ofOwner(owner, dialect).where("batch_id", "=", batchId));
      return row;
    },

    /** `idsOf` gives those of the provider's ids that belong to a batch of any user. */
    async idsOf(channelId: number, ids: readonly string[]): Promise<(string | null)[]> {
      const rows = sql
        .selectFrom("provider_batches")
        .select("batch_id")
        .where("channel_id", "=", channelId);
      return (await read(rows.where("batch_id", "in", ids))).map(({ batch_id }) => batch_id);
    },

    /** The latest first; after one of them, or the nearest before it. */
    async page(
      owner: KeptOwner,
      dialect: BatchDialectName,
      { after, before, limit }: BatchPage,
    ): Promise<ProviderBatchRow[]> {
      const rows = ofOwner(owner, dialect).limit(limit);
      if (before !== undefined)
        return (await read(rows.orderBy("id", "asc").where("id", ">", before))).reverse();
      const latest = rows.orderBy("id", "desc");
      return read(after === undefined ? latest : latest.where("id", "<", after));
    },

    /** `open` says how many batches of a user are not charged yet. */
    async open(owner: KeptOwner): Promise<number> {
      const [counted] = await read(notCharged(owner));
      return Number(counted?.count ?? 0);
    },

    due: (now: number): Promise<ProviderBatchRow[]> =>
      read(
        sql
          .selectFrom("provider_batches")
          .selectAll()
          .where("state", "<>", "settled")
          .where("due_at", "<=", now)
          .where("lease_until", "<=", now)
          .orderBy("due_at")
          .limit(dueMax),
      ),

    /** Affects no row where another node was faster. */
    claim: ({ id }: ProviderBatchRow, now: number, lease_until: number): Write => ({
      query: sql
        .updateTable("provider_batches")
        .set({ lease_until })
        .where("id", "=", id)
        .where("lease_until", "<=", now),
    }),

    /** A file that the batch wrote; two nodes may find it at once. */
    addFile: (row: ProviderFileRow): Write => ({
      query: sql
        .insertInto("provider_files")
        .values(row)
        .onConflict((conflict) => conflict.doNothing()),
    }),

    /** Charged, and long over. Run by the clock. */
    sweep: (createdBefore: number): Write => ({
      query: sql
        .deleteFrom("provider_batches")
        .where("state", "=", "settled")
        .where("created_at", "<", createdBefore),
    }),
  };
}
