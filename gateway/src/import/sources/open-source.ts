/** Opens a source by its address. The driver of MySQL is loaded by its first use. */
import { readSourceAddress } from "./source-address.ts";
import { ImportRefused, type SourceTables } from "./source-tables.ts";

export async function openSource(text: string): Promise<SourceTables> {
  const address = readSourceAddress(text);
  switch (address?.kind) {
    case "sqlite":
      return (await import("./sqlite-source.ts")).openSqliteSource(address.path);
    case "postgres":
      return (await import("./postgres-source.ts")).openPostgresSource(address.url);
    case "mysql":
      return (await import("./mysql-source.ts")).openMysqlSource(address.server);
    default:
      throw new ImportRefused("the source is neither a file nor an address that can be read");
  }
}
