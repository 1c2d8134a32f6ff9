/**
 * Variables by which one-api, its forks and LiteLLM are configured, and that nothing here reads: a
 * copied environment must not lose a setting in silence. Names that other programs share, such as
 * TZ, are left out. Pure.
 */

/** `replacements` are what takes the variable's place; undefined where nothing does. */
const replacements: Readonly<Record<string, string | undefined>> = {
  // one-api and its fork by Laisky
  LOG_SQL_DSN: "the one database, which holds the logs too",
  SQLITE_PATH: "DATA_DIR, the folder of the database",
  SQL_MAX_OPEN_CONNS: "DATABASE_CONNECTIONS",
  SQL_MAX_IDLE_CONNS: "DATABASE_CONNECTIONS",
  SQL_MAX_LIFETIME: "DATABASE_CONNECTIONS",
  REDIS_PASSWORD: "REDIS_URL, with the password inside",
  REDIS_MASTER_NAME: undefined,
  SYNC_FREQUENCY: "the database, which every node reads at once",
  MEMORY_CACHE_ENABLED: "the database, which every node reads at once",
  BATCH_UPDATE_ENABLED: "the database, which has each charge when its call ends",
  BATCH_UPDATE_INTERVAL: "the database, which has each charge when its call ends",
  SESSION_SECRET: "the database, where sessions are rows",
  NODE_TYPE: "several equal nodes on one PostgreSQL",
  FRONTEND_BASE_URL: "several equal nodes on one PostgreSQL",
  CHANNEL_UPDATE_FREQUENCY: "Update balances, on the page of channels",
  POLLING_INTERVAL: undefined,
  GLOBAL_API_RATE_LIMIT: "API_RATE_LIMIT",
  CRITICAL_RATE_LIMIT: "built-in limits of sign-in",
  GLOBAL_CHANNEL_RATE_LIMIT: "the rate limit of each channel",
  GLOBAL_WEB_RATE_LIMIT: undefined,
  GLOBAL_RELAY_RATE_LIMIT: "limits of each API key",
  RELAY_TIMEOUT:
    "UPSTREAM_TIMEOUT_SECONDS, which limits the silence of a provider and not a whole call",
  RELAY_PROXY: "the outbound proxy of each channel",
  USER_CONTENT_REQUEST_PROXY: undefined,
  ENFORCE_INCLUDE_USAGE: "the usage that each provider is asked for anyway",
  GEMINI_SAFETY_SETTING: "the override of parameters of a channel",
  GEMINI_VERSION: undefined,
  DEFAULT_MAX_TOKEN: "the override of parameters of a channel",
  ENABLE_METRIC: "circuit breakers of channels",
  CHANNEL_SUSPEND_SECONDS_FOR_429: "circuit breakers of channels",
  INITIAL_ROOT_TOKEN: "a key that root creates",
  INITIAL_ROOT_ACCESS_TOKEN: "an access token that root creates",
  SHUTDOWN_TIMEOUT: "SHUTDOWN_GRACE_SECONDS",
  BILLING_TIMEOUT: "holds, which need none",
  LOG_RETENTION_DAYS: "the setting of how long logs are kept",
  TRACE_RETENTION_DAYS: "the setting of how long logs are kept",
  ENABLE_COOKIE_SECURE: "PUBLIC_URL, whose scheme decides",
  // new-api
  CRYPTO_SECRET: "MASTER_KEY, a value of this gateway's own",
  RELAY_IDLE_CONN_TIMEOUT: undefined,
  GLOBAL_API_RATE_LIMIT_ENABLE: "API_RATE_LIMIT, where 0 is off",
  AZURE_DEFAULT_API_VERSION: "the API version of each channel",
  ERROR_LOG_ENABLED: "log rows, which failed calls always have",
  STREAMING_TIMEOUT: "UPSTREAM_TIMEOUT_SECONDS, with the same meaning",
  SESSION_COOKIE_SECURE: "PUBLIC_URL, whose scheme decides",
  TLS_INSECURE_SKIP_VERIFY: undefined,
  GENERATE_DEFAULT_TOKEN: undefined,
  // LiteLLM
  LITELLM_MASTER_KEY:
    "INITIAL_ROOT_PASSWORD and an access token; the command import carries the key for calls",
  LITELLM_SALT_KEY:
    "MASTER_KEY, a value of this gateway's own; the command import alone reads the salt",
  CONFIG_FILE_PATH: "channels and settings in the database; the command import carries the file",
  STORE_MODEL_IN_DB: "channels and settings in the database",
  UI_USERNAME: "the account root",
  UI_PASSWORD: "INITIAL_ROOT_PASSWORD",
  PROXY_BASE_URL: "PUBLIC_URL",
  SERVER_ROOT_PATH: undefined,
  NUM_WORKERS: "serve --processes",
  REDIS_HOST: "REDIS_URL",
  DIRECT_URL: "DATABASE_DIRECT_URL",
  PROXY_ADMIN_ID: "the account root",
  LITELLM_LICENSE: undefined,
  LITELLM_MODE: undefined,
  DISABLE_SCHEMA_UPDATE: "the command migrate, before the start",
  LITELLM_LOG: "LOG_LEVEL",
};

/** A sentence for each of them that is set, by its name and never with its value. */
export const formatForeignVariableNotes = (
  environment: Readonly<Record<string, string | undefined>>,
): string[] =>
  Object.entries(replacements)
    .filter(([name]) => environment[name])
    .map(([name, instead]) => `${name} is not read here; in its place: ${instead ?? "nothing"}`);
