/** Every environment variable with its schema and its sentence for the table in README.md. */
import * as z from "zod/mini";
import { bodyCredential, bodyPlace, bodyRegion } from "./call-bodies/body-settings.ts";
import {
  block,
  hostAndPortList,
  integer,
  isRedisUrl,
  isSmtpUrl,
  list,
  postgresUrl,
  signInHeader,
  webAddress,
} from "./config-values.ts";
import { headerSecretPattern } from "./http/trusted-header-settings.ts";
import { defaultSeriesMax, metricLabelChoices } from "./telemetry/gateway-metrics.ts";

/** Fleets set these for all their programs: telemetry/otel-settings.ts judges them, and only where spans are sent. */
const ofTelemetry = z.optional(z.string());

export const variables = {
  /** Address to listen on. */
  HOST: z._default(z.string(), "127.0.0.1"),
  /** Port to listen on; 0 takes any free one. */
  PORT: z._default(integer(0, 65_535), 3_000),
  /** Folder of the embedded database and the generated master key. */
  DATA_DIR: z._default(z.string(), "./data"),
  /** `postgres://…`; absent means SQLite in DATA_DIR. */
  DATABASE_URL: z.optional(postgresUrl),
  /** `transaction` where DATABASE_URL leads to a connection pooler in transaction mode, such as PgBouncer. */
  DATABASE_POOLER: z._default(z.enum(["none", "transaction"]), "none"),
  /** PostgreSQL itself beside such a pooler: for migrations, and for changes made on other nodes to arrive at once. */
  DATABASE_DIRECT_URL: z.optional(postgresUrl),
  /** A standby of PostgreSQL that lists, charts and exports of calls are read from while it is at most 5 seconds behind. */
  DATABASE_READ_URL: z.optional(postgresUrl),
  /** Maximum number of connections to PostgreSQL; a call waits up to five seconds for a free one. */
  DATABASE_CONNECTIONS: z._default(integer(1, 1_000), 16),
  /** `redis://…` or `rediss://…`, where several nodes share their limits; absent: each node counts alone. */
  REDIS_URL: z.optional(
    z.string().check(z.refine(isRedisUrl, "must be redis:// or rediss://user:password@host:port/database")),
  ),
  /** 32 bytes in base64 that seal stored secrets; absent: generated into DATA_DIR. */
  MASTER_KEY: z.optional(z.string().check(z.regex(/^[A-Za-z0-9+/]{43}=?$/, "must be 32 bytes in base64"))),
  /** Only for `rotate-key`: the new master key, in the same form; absent: generated. */
  NEW_MASTER_KEY: z.optional(z.string().check(z.regex(/^[A-Za-z0-9+/]{43}=?$/, "must be 32 bytes in base64"))),
  /** Password of `root` at the first start; absent: a random one, printed once. */
  INITIAL_ROOT_PASSWORD: z.optional(z.string().check(z.minLength(8), z.maxLength(128))),
  /** What the command import reads where it is given no source: an address with a password does not belong into arguments. */
  IMPORT_SOURCE: z.optional(z.string().check(z.maxLength(2_000))),
  /** The database of the other system's log, where that is another one. */
  IMPORT_LOG_SOURCE: z.optional(z.string().check(z.maxLength(2_000))),
  /** Where `apply`, `plan` and `export` find the running gateway; absent: at PORT of this machine. */
  TOLLGATE_URL: z.optional(webAddress),
  /** The management key of those commands. */
  TOLLGATE_KEY: z.optional(z.string().check(z.maxLength(200))),
  /** The address that browsers use, for instance https://ai.example.com; https makes cookies secure. Passkeys belong to its host. */
  PUBLIC_URL: z.optional(
    z.string().check(z.refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), "must be a URL")),
  ),
  /** Comma-separated addresses of reverse proxies whose X-Forwarded-For is trusted. */
  TRUSTED_PROXIES: z._default(z.pipe(z.pipe(z.string(), z.transform(list)), z.array(block)), []),
  /** The header in which those proxies name the user whom they have signed in, such as Remote-User; absent: none is read. */
  TRUSTED_SIGN_IN_HEADER: signInHeader,
  /** The header with the secret that only those proxies know: without it the former does not count. */
  TRUSTED_SIGN_IN_SECRET_HEADER: signInHeader,
  /** That secret; at least 24 characters without spaces. */
  TRUSTED_SIGN_IN_SECRET: z.optional(
    z.string().check(z.regex(headerSecretPattern, "must be 24 to 256 characters without spaces")),
  ),
  /** The header in which they name the user's groups, for the rules of TrustedSignInRules. */
  TRUSTED_SIGN_IN_GROUPS_HEADER: signInHeader,
  /** Comma-separated host:port pairs of private upstreams that may be called, such as a local Ollama. */
  UPSTREAM_PRIVATE_HOSTS: hostAndPortList,
  /** The same for OpenID Connect providers, such as a Keycloak in the company's network; only these may speak plain HTTP. */
  IDENTITY_PRIVATE_HOSTS: hostAndPortList,
  /** The same for receivers of notices, such as a chat server of one's own. */
  NOTICE_PRIVATE_HOSTS: hostAndPortList,
  /** The same for the guard hook. */
  GUARD_PRIVATE_HOSTS: hostAndPortList,
  /** The same for MCP servers. */
  MCP_PRIVATE_HOSTS: hostAndPortList,
  /** The same for price lists. */
  PRICE_LIST_PRIVATE_HOSTS: hostAndPortList,
  /** The same for databases that root imports from in the console. */
  IMPORT_PRIVATE_HOSTS: hostAndPortList,
  /** The same of outbound proxies. */
  PROXY_PRIVATE_HOSTS: hostAndPortList,
  /** An additional prefix that presented API keys may carry. */
  TOKEN_KEY_PREFIX: z._default(z.string().check(z.maxLength(20)), "sk-"),
  /** The outgoing mail server, smtp:// or smtps://user:password@host:port?from=name@example.com. */
  SMTP_URL: z.optional(z.string().check(z.refine(isSmtpUrl, "must be smtp:// or smtps://user:password@host:port"))),
  /** GitHub for sign-in; for GitHub Enterprise its own address. */
  GITHUB_URL: z._default(webAddress, "https://github.com"),
  /** The API of that GitHub, for instance https://github.example.com/api/v3. */
  GITHUB_API_URL: z._default(webAddress, "https://api.github.com"),
  /** Lark for sign-in; outside of China https://open.larksuite.com. */
  LARK_URL: z._default(webAddress, "https://open.feishu.cn"),
  /** Discord for sign-in. */
  DISCORD_URL: z._default(webAddress, "https://discord.com"),
  /** LinuxDO for sign-in. */
  LINUX_DO_URL: z._default(webAddress, "https://connect.linux.do"),
  /** Telegram's page for sign-in. */
  TELEGRAM_URL: z._default(webAddress, "https://oauth.telegram.org"),
  /** Where tokens of Turnstile are verified. */
  TURNSTILE_URL: z._default(webAddress, "https://challenges.cloudflare.com"),
  /** Where tokens of hCaptcha are verified. */
  HCAPTCHA_URL: z._default(webAddress, "https://api.hcaptcha.com"),
  /** trace, debug, info, warn, error or silent. */
  LOG_LEVEL: z._default(z.enum(["trace", "debug", "info", "warn", "error", "silent"]), "info"),
  /** true: each call of a model is a line of level info, besides its row in the database. */
  LOG_CALLS: z._default(z.enum(["true", "false"]), "false"),
  /** Port of a listener for /metrics alone, without a password; each further process takes the next port. */
  METRICS_PORT: z.optional(integer(1, 65_535)),
  /** Address of that listener. */
  METRICS_HOST: z._default(z.string(), "127.0.0.1"),
  /** Who presents it as a bearer token reads /metrics on the main port; at least 16 characters without spaces. */
  METRICS_TOKEN: z.optional(
    z.string().check(z.regex(/^[\x21-\x7e]{16,256}$/, "must be 16 to 256 characters without spaces")),
  ),
  /** Comma-separated labels that calls, tokens and charges have besides: group, token. */
  METRICS_LABELS: z._default(
    z.pipe(z.pipe(z.string(), z.transform(list)), z.array(z.enum(metricLabelChoices, "must be group or token"))),
    [],
  ),
  /** Maximum number of series of counters and histograms; what exceeds it is counted as other. */
  METRICS_SERIES_MAX: z._default(integer(1_000, 1_000_000), defaultSeriesMax),
  /** The collector of OpenTelemetry, to whose /v1/traces spans of calls are sent; absent: none are made, and the others are not judged. */
  OTEL_EXPORTER_OTLP_ENDPOINT: ofTelemetry,
  /** The same with its whole path; wins over the former. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ofTelemetry,
  /** http/json is spoken; of http/protobuf and grpc the log says what is done. */
  OTEL_EXPORTER_OTLP_PROTOCOL: ofTelemetry,
  /** The same for traces alone, and so are the other forms with TRACES. */
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: ofTelemetry,
  /** Headers for the collector: name=value pairs with commas between them, percent-encoded. */
  OTEL_EXPORTER_OTLP_HEADERS: ofTelemetry,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: ofTelemetry,
  /** How many milliseconds the collector may take to answer. */
  OTEL_EXPORTER_OTLP_TIMEOUT: ofTelemetry,
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: ofTelemetry,
  /** gzip or none. */
  OTEL_EXPORTER_OTLP_COMPRESSION: ofTelemetry,
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: ofTelemetry,
  /** none: no spans. */
  OTEL_TRACES_EXPORTER: ofTelemetry,
  /** The name of the service in spans. */
  OTEL_SERVICE_NAME: ofTelemetry,
  /** Further attributes of the process, as pairs like the headers. */
  OTEL_RESOURCE_ATTRIBUTES: ofTelemetry,
  /** Which calls are sent: a share of them, all or none. */
  OTEL_TRACES_SAMPLER: ofTelemetry,
  /** That share, from 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: ofTelemetry,
  /** true: the sampled flag of a client decides whether its call is sent. */
  OTEL_TRUST_CALLER_SAMPLING: ofTelemetry,
  /** With gen_ai_latest_experimental among them, spans have the newest names of attributes. */
  OTEL_SEMCONV_STABILITY_OPT_IN: ofTelemetry,
  /** false: spans name neither the user nor the API key, which they name by number. */
  OTEL_SPAN_ACCOUNTS: ofTelemetry,
  /** Without effect: contents of calls are never in spans. */
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: ofTelemetry,
  /** true: no spans, whatever the others say. */
  OTEL_SDK_DISABLED: ofTelemetry,
  /** Where contents of calls are kept for keys that ask for it: a folder, or the https:// address of an S3 bucket. */
  CALL_BODIES: bodyPlace,
  /** For a bucket: its region. */
  CALL_BODIES_REGION: bodyRegion,
  /** Who may read, write and delete in it. */
  CALL_BODIES_ACCESS_KEY: bodyCredential,
  /** The secret of that access key. */
  CALL_BODIES_SECRET_KEY: bodyCredential,
  /** `true` refuses every change over console and management API, sign-ins apart; calls of API keys go on. */
  READ_ONLY: z._default(z.enum(["true", "false"]), "false"),
  /** Calls of one route of /api per user, or per address without a sign-in, in three minutes; 0 disables the limit. */
  API_RATE_LIMIT: z._default(integer(0, 1_000_000), 480),
  /** Minutes between automatic tests of all channels; 0 disables them. */
  CHANNEL_TEST_FREQUENCY: z._default(integer(0, 525_600), 0),
  /** How long a stopping gateway waits for running calls. */
  SHUTDOWN_GRACE_SECONDS: z._default(integer(0, 86_400), 300),
  /** How long a provider may be silent before and during its response. */
  UPSTREAM_TIMEOUT_SECONDS: z._default(integer(1, 86_400), 120),
  /** How long a connection to a provider may take to be established. */
  UPSTREAM_CONNECT_SECONDS: z._default(integer(1, 300), 10),
  /** How long a client may stop reading a response before it is disconnected. */
  CALLER_TIMEOUT_SECONDS: z._default(integer(1, 86_400), 60),
} as const;

/** Names of the one-api family for the same variables. */
export const aliases: Readonly<Record<string, keyof typeof variables>> = {
  SQL_DSN: "DATABASE_URL",
  REDIS_CONN_STRING: "REDIS_URL",
};
