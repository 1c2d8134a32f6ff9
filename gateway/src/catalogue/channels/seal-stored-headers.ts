/**
 * Seals the values of custom headers that versions up to 0.1.0 stored as plain text. It runs at
 * every start, one channel at a time, so an interrupted run is resumed by the next one.
 */
import type { Sealer } from "../../secrets/seal.ts";
import { type Database, tryWrite } from "../../storage/database.ts";
import { openHeaderValues, sealHeaderValues, splitHeaders } from "./channel-headers.ts";

/**
 * Answers the number of channels whose values were sealed. A channel that cannot be read is left
 * for its administrator.
 */
export async function sealStoredHeaders(
  db: Database,
  seal: Sealer,
  onError: (error: unknown) => void,
): Promise<number> {
  const { sql } = db;
  const stored = await db.read(
    sql
      .selectFrom("channels")
      .select(["id", "uuid", "config", "headers_sealed"])
      .where("config", "like", "%custom_headers%")
      .orderBy("id"),
  );
  let count = 0;
  for (const channel of stored) {
    try {
      const known = openHeaderValues(seal, channel);
      // A value of asterisks is a value here: no reply has masked it yet.
      const { config, values } = splitHeaders(channel.config, known, (_, value) => value);
      if (config === channel.config) continue;
      const query = sql
        .updateTable("channels")
        .set({ config, headers_sealed: sealHeaderValues(seal, channel.uuid, values) })
        .where("id", "=", channel.id)
        .where("config", "=", channel.config);
      // Missed when another node has just stored an edit, and sealed its values.
      if ((await tryWrite(db, [{ query, rows: 1 }], { changes: ["channels"] })) === undefined)
        count += 1;
    } catch (error) {
      onError(
        new Error(`the custom headers of channel ${channel.id} could not be sealed`, {
          cause: error,
        }),
      );
    }
  }
  return count;
}
