/** Opens a source by its address. The driver of MySQL is loaded by its first use. */
import { readSourceAddress } from "./source-address.ts";
import { ImportRefused, type SourceTables } from "./source-tables.ts";

/**
 * `checkedAddress` is the IP address that the server of an address is reached at, where a policy
 * has checked it.
 */
export async function openSource(text: string, checkedAddress?: string): Promise<SourceTables> {
  const address = readSourceAddress(text);
  switch (address?.kind) {
    case "sqlite":
      return (await import("./sqlite-source.ts")).openSqliteSource(address.path);
    case "postgres":
      return (await import("./postgres-source.ts")).openPostgresSource(address.url, checkedAddress);
    case "mysql":
      return (await import("./mysql-source.ts")).openMysqlSource(address.server, checkedAddress);
    default:
      throw new ImportRefused("the source is neither a file nor an address that can be read");
  }
}
