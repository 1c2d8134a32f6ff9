/**
 * Fills the endings of keys that older versions stored, and of imported ones. It runs at every
 * start, in small batches, so an interrupted run is resumed by the next one.
 */
import type { Sealer } from "../../secrets/seal.ts";
import type { Database } from "../../storage/database.ts";
import { readEnding } from "./token-rules.ts";
import { revealKey } from "./token-view.ts";

const batchSize = 500;

/** Answers the number of filled tokens. A key that cannot be read keeps an empty ending. */
export async function fillKeyEndings(db: Database, seal: Sealer): Promise<number> {
  const { sql } = db;
  const blank = sql
    .selectFrom("tokens")
    .where("key_ending", "=", "")
    .where("session_hash", "is", null);
  let filled = 0;
  let after = 0;
  for (;;) {
    const rows = await db.read(
      blank.selectAll().where("id", ">", after).orderBy("id").limit(batchSize),
    );
    const known = rows.flatMap(({ id, ...row }) => {
      const key = revealKey({ id, ...row }, seal);
      return key === "" ? [] : [{ id, key_hash: row.key_hash, key_ending: readEnding(key) }];
    });
    const writes = known.map(({ id, key_hash, key_ending }) => ({
      query: sql
        .updateTable("tokens")
        .set({ key_ending })
        .where("id", "=", id)
        .where("key_hash", "=", key_hash),
    }));
    if (writes.length > 0) await db.write(writes);
    filled += known.length;
    const last = rows.at(-1);
    if (rows.length < batchSize || !last) return filled;
    after = last.id;
  }
}
