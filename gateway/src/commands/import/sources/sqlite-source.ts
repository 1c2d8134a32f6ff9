/**
 * Another system's SQLite file: opened so that neither this program nor anything in the file can
 * change or call anything.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import {
  ImportRefused,
  type SourcePage,
  type SourceRow,
  type SourceTables,
  textBytesMax,
} from "./source-tables.ts";

const headerBytes = 20;
const magic = "SQLite format 3\0";
/** Byte 19 of the file says how it is read: 2 is a write-ahead log. */
const readVersionAt = 19;
const writeAheadLog = 2;
const lockWaitMs = 5_000;

const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A number as it is, a text within its bound, anything else as null. */
const bounded = (column: string): string =>
  `case when typeof(src.${column}) in ('integer', 'real') then src.${column}
    when typeof(src.${column}) = 'text' and octet_length(src.${column}) <= ${textBytesMax} then src.${column} end as ${column}`;

export function openSqliteSource(path: string): SourceTables {
  const file = resolve(path);
  const db = openReadOnly(file);
  /** Views and virtual tables run what their author wrote, and so do generated columns. */
  const isOrdinary = db.prepare(
    "select 1 from pragma_table_list where schema = 'main' and type = 'table' and name = ?",
  );
  const listed = db.prepare("select name, hidden from pragma_table_xinfo(?)");
  return {
    label: `${file} (${statSync(file).size} bytes)`,
    async columns(table) {
      if (!isOrdinary.get(table)) return new Set();
      const columns = listed.all(table) as { name: string; hidden: number }[];
      return new Set(columns.filter(({ hidden }) => hidden === 0).map(({ name }) => name));
    },
    async page({ table, columns, key, after, limit, isDescending = false }: SourcePage) {
      const names = columns.map((column) => bounded(quoteName(column))).join(", ");
      const [beyond, direction] = isDescending ? ["<", "desc"] : [">", "asc"];
      const start = after === undefined ? "" : `where src.${quoteName(key)} ${beyond} ?`;
      // By the table's column and not by the selected expression of the same name, which no index
      // serves.
      const order = `order by src.${quoteName(key)} ${direction}`;
      const statement = db.prepare(
        `select ${names} from ${quoteName(table)} as src ${start} ${order} limit ?`,
      );
      statement.setReadBigInts(true);
      try {
        const values = after === undefined ? [limit] : [after as bigint | string | number, limit];
        return statement.all(...values) as SourceRow[];
      } catch (error) {
        throw new ImportRefused(
          `table ${table} of ${file} cannot be read: ${(error as Error).message}`,
        );
      }
    },
    async close() {
      db.close();
    },
  };
}

function openReadOnly(file: string): DatabaseSync {
  const header = buildHeader(file);
  if (header.subarray(0, magic.length).toString("latin1") !== magic)
    throw new ImportRefused(`${file} is not a SQLite database`);
  const hasOpenLog =
    header[readVersionAt] === writeAheadLog &&
    (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  // Without a log to read, nothing beside the file is needed: SQLite would create its index of a
  // log in that folder.
  const isStopped = header[readVersionAt] === writeAheadLog && !hasOpenLog;
  const address = pathToFileURL(file);
  if (isStopped) address.searchParams.set("immutable", "1");
  try {
    const db = new DatabaseSync(address, {
      readOnly: true,
      allowExtension: false,
      enableForeignKeyConstraints: false,
      defensive: true,
      timeout: lockWaitMs,
    });
    db.exec(
      "pragma trusted_schema = off; pragma cell_size_check = on; pragma mmap_size = 0; pragma query_only = on",
    );
    // One transaction, so that everything is of one moment.
    db.exec("begin");
    db.prepare("select count(*) from sqlite_schema").get();
    return db;
  } catch (error) {
    throw new ImportRefused(
      `${file} cannot be read (${(error as Error).message}); stop the system that uses it, or import a copy of the file`,
    );
  }
}

function buildHeader(file: string): Buffer {
  const header = Buffer.alloc(headerBytes);
  try {
    const descriptor = openSync(file, "r");
    try {
      readSync(descriptor, header, 0, headerBytes, 0);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw new ImportRefused(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  return header;
}
