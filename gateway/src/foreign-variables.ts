/**
 * Variables by which one-api, its forks and LiteLLM are configured, and that nothing here reads: a copied environment must not
 * lose a setting in silence. Names that other programs share, such as TZ, are left out. Pure.
 */

/** What takes the variable's place; undefined where nothing does. */
const replacements: Readonly<Record<string, string | undefined>> = {
  // one-api and its fork by Laisky
  LOG_SQL_DSN: "the one database, which holds the logs too",
  SQLITE_PATH: "DATA_DIR, the folder of the database",
  SQL_MAX_OPEN_CONNS: "DATABASE_CONNECTIONS",
  REDIS_PASSWORD: "REDIS_URL, with the password inside",
  REDIS_MASTER_NAME: undefined,
  SESSION_SECRET: "the database, where sessions are rows",
  NODE_TYPE: "several equal nodes on one PostgreSQL",
  FRONTEND_BASE_URL: "several equal nodes on one PostgreSQL",
  CHANNEL_UPDATE_FREQUENCY: "Update balances, on the page of channels",
  GLOBAL_API_RATE_LIMIT: "API_RATE_LIMIT",
  GLOBAL_WEB_RATE_LIMIT: undefined,
  GLOBAL_RELAY_RATE_LIMIT: "limits of each API key",
  RELAY_TIMEOUT: "UPSTREAM_TIMEOUT_SECONDS, which limits the silence of a provider and not a whole call",
  RELAY_PROXY: undefined,
  USER_CONTENT_REQUEST_PROXY: undefined,
  INITIAL_ROOT_TOKEN: "a key that root creates",
  INITIAL_ROOT_ACCESS_TOKEN: "an access token that root creates",
  SHUTDOWN_TIMEOUT: "SHUTDOWN_GRACE_SECONDS",
  LOG_RETENTION_DAYS: "the setting of how long logs are kept",
  TRACE_RETENTION_DAYS: "the setting of how long logs are kept",
  ENABLE_COOKIE_SECURE: "PUBLIC_URL, whose scheme decides",
  // new-api
  CRYPTO_SECRET: "MASTER_KEY, a value of this gateway's own",
  STREAMING_TIMEOUT: "UPSTREAM_TIMEOUT_SECONDS, with the same meaning",
  SESSION_COOKIE_SECURE: "PUBLIC_URL, whose scheme decides",
  TLS_INSECURE_SKIP_VERIFY: undefined,
  GENERATE_DEFAULT_TOKEN: undefined,
  // LiteLLM
  LITELLM_MASTER_KEY: "INITIAL_ROOT_PASSWORD and an access token; the command import carries the key for calls",
  LITELLM_SALT_KEY: "MASTER_KEY, a value of this gateway's own; the command import alone reads the salt",
  CONFIG_FILE_PATH: "channels and settings in the database; the command import carries the file",
  STORE_MODEL_IN_DB: "channels and settings in the database",
  UI_USERNAME: "the account root",
  UI_PASSWORD: "INITIAL_ROOT_PASSWORD",
  PROXY_BASE_URL: "PUBLIC_URL",
  SERVER_ROOT_PATH: undefined,
  NUM_WORKERS: "serve --processes",
  REDIS_HOST: "REDIS_URL",
  LITELLM_LOG: "LOG_LEVEL",
};

/** A sentence for each of them that is set, by its name and never with its value. */
export const foreignVariableNotes = (environment: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(replacements)
    .filter(([name]) => environment[name])
    .map(([name, instead]) => `${name} is not read here; in its place: ${instead ?? "nothing"}`);
