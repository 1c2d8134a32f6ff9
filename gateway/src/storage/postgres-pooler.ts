/**
 * Connection poolers in transaction mode (PgBouncer and others) give each transaction another
 * connection of the server: prepared statements, LISTEN and settings of a session do not survive.
 */
import type pg from "pg";
import { StorageUnavailable } from "./database.ts";

const unsetPooler =
  "DATABASE_URL leads to a connection pooler that keeps no session: set DATABASE_POOLER=transaction, and " +
  "DATABASE_DIRECT_URL to PostgreSQL itself (docs/operations.md)";

const protocolViolation = "08P01";
/**
 * The statement is unknown on this connection of the server, or another client of the pooler has
 * prepared it.
 */
const foreignStatements = ["26000", "42P05"];

/** The error of a pooler that the configuration does not name; undefined for any other. */
export function findPoolerError(error: unknown): StorageUnavailable | undefined {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  const isRefusedSetting = code === protocolViolation && message.includes("startup parameter");
  if (!isRefusedSetting && !foreignStatements.includes(code)) return undefined;
  return new StorageUnavailable(unsetPooler, { cause: error });
}

const holdMsMax = 1_000;

/**
 * Fails at the start, and not at the first busy minute, where connections keep no prepared
 * statements: one connection prepares a statement, and runs it again while an open transaction of
 * another holds what the server used for it.
 */
export async function requireSessions(pool: pg.Pool): Promise<void> {
  if (pool.options.max < 2) return;
  const first = await pool.connect();
  const second = await pool.connect();
  const prepared = { name: "tollgate session check", text: "select 1" };
  try {
    await first.query(prepared);
    await second.query("begin");
    await second.query("select 1");
    const again = first.query(prepared);
    // A pooler with a single connection lets the statement wait for the end of the transaction.
    const timer = setTimeout(() => void second.query("commit").catch(() => undefined), holdMsMax);
    await again.finally(() => clearTimeout(timer));
  } finally {
    await second.query("rollback");
    first.release();
    second.release();
  }
}
