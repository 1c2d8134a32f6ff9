/** A database belongs to one master key: with another one, its provider keys could not be decrypted. */
import type { Database } from "../storage/database.ts";
import type { Sealer } from "./seal.ts";

/**
 * False when none of the provider keys was sealed with this master key: a backup was restored without its key, or a second node
 * generated its own.
 */
export async function isDatabaseKey(db: Database, seal: Sealer): Promise<boolean> {
  const channels = await db.read(db.sql.selectFrom("channels").select("key_sealed").where("key_sealed", "<>", ""));
  return channels.length === 0 || channels.some(({ key_sealed }) => seal.isOurs(key_sealed));
}
