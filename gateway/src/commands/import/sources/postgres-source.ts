/** Another system's PostgreSQL database, read in one transaction that cannot write. */
import pg from "pg";
import {
  ImportRefused,
  type SourcePage,
  type SourceRow,
  type SourceTables,
  textBytesMax,
} from "./source-tables.ts";

/** A page of a thousand rows; the longest may hold a megabyte each. */
const statementTimeoutMs = 120_000;
const connectTimeoutMs = 10_000;
const usualPort = 5432;

const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Everything as text, which the schemas of the rows read. */
const bounded = (column: string): string =>
  `case when octet_length(src.${column}::text) <= ${textBytesMax} then src.${column}::text end as ${column}`;

/** Other parameters of an address name files and sockets of this machine. */
const buildCheckedConnection = (url: URL, host: string): pg.ClientConfig => {
  const mode = url.searchParams.get("sslmode") ?? "";
  const isEncrypted = ["require", "verify-ca", "verify-full", "no-verify"].includes(mode);
  return {
    host,
    port: Number(url.port || usualPort),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    ssl: isEncrypted && { servername: url.hostname, rejectUnauthorized: mode !== "no-verify" },
  };
};

/** `waitMs`: for a statement. */
export async function openPostgresSource(
  url: string,
  checkedAddress?: string,
  waitMs = statementTimeoutMs,
): Promise<SourceTables> {
  const client = new pg.Client({
    ...(checkedAddress === undefined
      ? { connectionString: url }
      : buildCheckedConnection(new URL(url), checkedAddress)),
    connectionTimeoutMillis: Math.min(connectTimeoutMs, waitMs),
    statement_timeout: waitMs,
    // A server that hangs, or is none, does not keep to it.
    query_timeout: waitMs,
    application_name: "tollgate import",
  });
  // A connection that breaks fails the statement that waits for it.
  client.on("error", () => undefined);
  const query = async <Row extends SourceRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> => {
    try {
      return (await client.query<Row>(text, [...values])).rows;
    } catch (error) {
      throw refusal(url, error);
    }
  };
  try {
    await client.connect();
    // As Prisma's addresses name it, which LiteLLM uses.
    const schema = new URL(url).searchParams.get("schema");
    if (schema)
      await client.query("select set_config('search_path', quote_ident($1), false)", [schema]);
    // One snapshot, so that everything is of one moment.
    await client.query("begin isolation level repeatable read read only");
  } catch (error) {
    await client.end().catch(() => undefined);
    throw refusal(url, error);
  }
  return {
    label: stripPassword(url),
    async columns(table) {
      // Views and foreign tables run what their author wrote, and so do generated columns.
      const found = await query<{ name: string }>(
        `select attname as name from pg_catalog.pg_attribute
         where attrelid = (
           select oid from pg_catalog.pg_class
           where relname = $1 and relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
         ) and attnum > 0 and not attisdropped and attgenerated = ''`,
        [table],
      );
      return new Set(found.map(({ name }) => name));
    },
    async page({ table, columns, key, after, limit, isDescending = false }: SourcePage) {
      const names = columns.map((column) => bounded(quoteName(column))).join(", ");
      const [beyond, direction] = isDescending ? ["<", "desc"] : [">", "asc"];
      const start = after === undefined ? "" : `where src.${quoteName(key)} ${beyond} $2`;
      const text = `select ${names} from ${quoteName(table)} as src ${start} order by src.${quoteName(key)} ${direction} limit $1`;
      return await query(text, after === undefined ? [limit] : [limit, after]);
    },
    close: () => client.end(),
  };
}

/** The server's words may hold the address that was tried, but never the password. */
const refusal = (url: string, error: unknown): ImportRefused =>
  new ImportRefused(`${stripPassword(url)} cannot be read: ${(error as Error).message}`);

function stripPassword(text: string): string {
  const { host, pathname } = new URL(text);
  return `PostgreSQL at ${host}${pathname}`;
}
