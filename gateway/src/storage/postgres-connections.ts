import pg from "pg";

const defaultConnections = 16;
const connectWaitMs = 5_000;
const statementTimeoutMs = 30_000;
/**
 * A server that is gone without a word ends nothing. Later than its own timeout, after which the
 * connection still works.
 */
const silenceMaxMs = statementTimeoutMs + 5_000;

/** int8 and numeric arrive as text; every integer we store fits a JavaScript number. */
const types = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === 20 || oid === 1700
      ? Number
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export interface PostgresAccess {
  /** `databaseUrl` is of PostgreSQL, or of a connection pooler. */
  databaseUrl: string;
  /** The pooler gives each transaction another connection of the server. */
  isPooled?: boolean;
  /**
   * `listenUrl` is where changes on other nodes are listened for; undefined: they are only polled
   * for.
   */
  listenUrl?: string | undefined;
  connections?: number | undefined;
  /** `silenceMs` says how long a server may be silent until its connection counts as lost. */
  silenceMs?: number;
  /** A standby, for lists, charts and exports. */
  readUrl?: string | undefined;
}

/** A pooler refuses a timeout for the server's sessions, so that the client alone keeps one. */
const buildPostgresConfig = ({
  databaseUrl,
  isPooled,
  connections,
  silenceMs = isPooled ? statementTimeoutMs : silenceMaxMs,
}: PostgresAccess): pg.PoolConfig => ({
  connectionString: databaseUrl,
  max: connections ?? defaultConnections,
  connectionTimeoutMillis: connectWaitMs,
  ...(isPooled ? {} : { statement_timeout: statementTimeoutMs }),
  query_timeout: silenceMs,
  application_name: "tollgate",
  types,
});

/**
 * A server may end a connection between two statements of a transaction, where no statement waits
 * for the error: the next one fails, and says so. Without a listener the error would end the
 * process.
 */
const failNextStatement = (): void => undefined;

/** `onError` receives the end of an idle connection; the next call opens another. */
export function openPool(access: PostgresAccess, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool(buildPostgresConfig(access));
  pool.on("error", onError);
  pool.on("connect", (client) => client.on("error", failNextStatement));
  return pool;
}

/**
 * The caller ends it. Without `isTimed` a statement may take as long as it needs, as those of a
 * migration do.
 */
export async function openConnection(
  databaseUrl: string,
  { isTimed }: { isTimed: boolean },
): Promise<pg.Client> {
  const untimed = { statement_timeout: 0, query_timeout: 0 };
  const client = new pg.Client({
    ...buildPostgresConfig({ databaseUrl }),
    ...(!isTimed && untimed),
  });
  client.on("error", failNextStatement);
  await client.connect();
  return client;
}
