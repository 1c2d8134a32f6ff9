/**
 * Another system's MySQL or MariaDB database, read in one transaction that cannot write. The server
 * is not trusted.
 */
import { connect, isIP } from "node:net";
import {
  type Connection,
  type ConnectionOptions,
  createConnection,
  type RowDataPacket,
} from "mysql2/promise";
import type { MysqlServer } from "./source-address.ts";
import {
  ImportRefused,
  type SourcePage,
  type SourceRow,
  type SourceTables,
  textBytesMax,
} from "./source-tables.ts";

const connectTimeoutMs = 10_000;
/** A page of a thousand rows; the longest may hold a megabyte each. */
const queryTimeoutMs = 120_000;

const quoteName = (name: string): string => `\`${name.replaceAll("`", "``")}\``;

/** Everything as text, which the schemas of the rows read. */
const bounded = (column: string): string =>
  `case when octet_length(src.${column}) <= ${textBytesMax} then cast(src.${column} as char) end as ${column}`;

const withoutVerification = { rejectUnauthorized: false };

/** `tls` means what it means to the driver of the other systems, whose own settings of TLS are not known here. */
async function openConnection(settings: ConnectionOptions, tls: string): Promise<Connection> {
  switch (tls.toLowerCase()) {
    case "":
    case "0":
    case "false":
      return await createConnection(settings);
    case "1":
    case "true":
      // The driver would compare the certificate with "localhost".
      if (isIP(settings.host ?? "") !== 0)
        throw new ImportRefused(
          "with tls=true the server has to be named as its certificate names it, not by its IP address",
        );
      return await createConnection({ ...settings, ssl: { verifyIdentity: true } }).catch(
        (error: unknown) => {
          throw buildCode(error) === "HANDSHAKE_SSL_ERROR" ? addAdvice(error) : error;
        },
      );
    case "skip-verify":
      return await createConnection({ ...settings, ssl: withoutVerification });
    case "preferred":
      return await createConnection({ ...settings, ssl: withoutVerification }).catch(
        (error: unknown) => {
          if (buildCode(error) === "HANDSHAKE_NO_SSL_SUPPORT") return createConnection(settings);
          throw error;
        },
      );
    default:
      throw new ImportRefused(
        "tls of the address names settings of the other system: use true, skip-verify, preferred or false",
      );
  }
}

const buildCode = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;

const addAdvice = (error: unknown): Error =>
  new Error(
    `its certificate does not verify (${(error as Error).message}); name the server as the certificate does, and its authority in NODE_EXTRA_CA_CERTS, or read it with tls=skip-verify on a network that you trust`,
  );

export async function openMysqlSource(
  server: MysqlServer,
  checkedAddress?: string,
): Promise<SourceTables> {
  const place = server.socketPath ?? `${server.host}:${server.port}`;
  const label = `MySQL at ${place}/${server.database}`;
  const refusal = (error: unknown): ImportRefused =>
    new ImportRefused(`${label} cannot be read: ${(error as Error).message}`);
  const { socketPath, tls, ...address } = server;
  const settings: ConnectionOptions = {
    ...address,
    // The certificate is compared with the name, and not with the address that was checked for it.
    ...(checkedAddress !== undefined && { stream: () => connect(server.port, checkedAddress) }),
    ...(socketPath !== undefined && { socketPath }),
    charset: "utf8mb4",
    connectTimeout: connectTimeoutMs,
    // A server may ask the client for any of its files; and one statement stays one.
    flags: ["-LOCAL_FILES"],
    multipleStatements: false,
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
  };
  const connection = await openConnection(settings, tls).catch((error: unknown) => {
    if (error instanceof ImportRefused) throw error;
    throw refusal(error);
  });
  // A connection that breaks fails the statement that waits for it.
  connection.on("error", () => undefined);
  const query = async (sql: string, values: readonly unknown[] = []): Promise<SourceRow[]> => {
    try {
      const [rows] = await connection.query<RowDataPacket[]>({
        sql,
        values: [...values],
        timeout: queryTimeoutMs,
      });
      return Array.isArray(rows) ? rows : [];
    } catch (error) {
      throw refusal(error);
    }
  };
  await query("set session transaction isolation level repeatable read");
  // One snapshot, so that everything is of one moment.
  await query("start transaction with consistent snapshot, read only");
  return {
    label,
    async columns(table) {
      // Views run what their author wrote, and so do generated columns.
      const found = await query(
        `select columns.column_name as name from information_schema.columns as columns
         join information_schema.tables as tables
           on tables.table_schema = columns.table_schema and tables.table_name = columns.table_name
         where columns.table_schema = database() and columns.table_name = ? and tables.table_type = 'BASE TABLE'
           and columns.extra not like '%GENERATED%'`,
        [table],
      );
      return new Set(found.map(({ name }) => String(name)));
    },
    async page({ table, columns, key, after, limit, isDescending = false }: SourcePage) {
      const names = columns.map((column) => bounded(quoteName(column))).join(", ");
      const [beyond, direction] = isDescending ? ["<", "desc"] : [">", "asc"];
      const start = after === undefined ? "" : `where src.${quoteName(key)} ${beyond} ?`;
      const text = `select ${names} from ${quoteName(table)} as src ${start} order by src.${quoteName(key)} ${direction} limit ?`;
      return await query(text, after === undefined ? [limit] : [after, limit]);
    },
    close: () => connection.end(),
  };
}
