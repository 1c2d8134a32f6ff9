/** A database belongs to one master key: started with another, its provider keys could not be opened. */
import type { Database } from "../storage/database.ts";
import type { Sealer } from "./seal.ts";

/**
 * False where none of the provider keys was sealed with this master key: after a copy was restored without its key, or
 * on a second node that made a key of its own.
 */
export async function isDatabaseKey(db: Database, seal: Sealer): Promise<boolean> {
  const channels = await db.read(db.sql.selectFrom("channels").select("key_sealed").where("key_sealed", "<>", ""));
  return channels.length === 0 || channels.some(({ key_sealed }) => seal.isOurs(key_sealed));
}
