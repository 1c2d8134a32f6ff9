/**
 * The only file that reads the environment. It is parsed once; an invalid value stops the start.
 */
import { resolve } from "node:path";
import type { AddressBlock } from "@tollgate/contract/api/cidr.ts";
import * as z from "zod/mini";
import { type BodyStoreSettings, findBodyStoreSettings } from "../call-bodies/body-settings.ts";
import type { TrustedHeaderSettings } from "../http/trusted-header.ts";
import { findTrustedHeaderSettings } from "../http/trusted-header-settings.ts";
import type { MetricLabelChoice } from "../telemetry/gateway-metrics.ts";
import { buildOtelSettings, type OtelSettings } from "../telemetry/otel-settings.ts";
import { ConfigError } from "./config-error.ts";
import { formatForeignVariableNotes } from "./foreign-variables.ts";
import type { Environment } from "./open-environment.ts";
import { readSecretFiles } from "./secret-files.ts";
import { aliases, variables } from "./variable-groups.ts";

/** `Settings` are what the environment says. */
export interface Settings {
  host: string;
  port: number;
  dataDir: string;
  databaseUrl: string | undefined;
  /** `redisUrl` is where several nodes share their limits. */
  redisUrl: URL | undefined;
  /** PostgreSQL itself, where `databaseUrl` leads to a connection pooler. */
  databaseDirectUrl: string | undefined;
  /**
   * `databasePooler` is what `databaseUrl` leads to: a pooler in transaction mode gives each
   * transaction another connection of the server.
   */
  databasePooler: "none" | "transaction";
  /** `postgres://…` of a standby. */
  databaseReadUrl: string | undefined;
  /** Maximum number of connections to PostgreSQL. */
  databaseConnections: number;
  /** The master key, where it does not come from a file in `dataDir`. */
  masterKeyGiven: Uint8Array | undefined;
  newMasterKey: Uint8Array | undefined;
  initialRootPassword: string | undefined;
  importSource: string | undefined;
  importLogSource: string | undefined;
  publicUrl: URL | undefined;
  /** Whom `/.well-known/security.txt` names. */
  securityContact: string | undefined;
  trustedProxies: readonly AddressBlock[];
  /** `trustedHeader` says how a reverse proxy signs users in; undefined where none does. */
  trustedHeader: TrustedHeaderSettings | undefined;
  upstreamPrivateHosts: ReadonlySet<string>;
  /** Private hosts, and hosts over plain HTTP, of OpenID Connect providers. */
  identityPrivateHosts: ReadonlySet<string>;
  /** Private receivers of notices. */
  noticePrivateHosts: ReadonlySet<string>;
  guardPrivateHosts: ReadonlySet<string>;
  importPrivateHosts: ReadonlySet<string>;
  mcpPrivateHosts: ReadonlySet<string>;
  priceListPrivateHosts: ReadonlySet<string>;
  proxyPrivateHosts: ReadonlySet<string>;
  tokenKeyPrefix: string;
  /** Addresses of the OAuth providers, without a trailing slash. */
  providerUrls: {
    github: string;
    githubApi: string;
    lark: string;
    discord: string;
    linuxdo: string;
    telegram: string;
  };
  captchaUrls: { turnstile: string; hcaptcha: string };
  smtpUrl: URL | undefined;
  /** `isReadOnly` says whether `/api` refuses every change. */
  isReadOnly: boolean;
  /**
   * Calls of one route of `/api` per user, or per address, in three minutes; 0 disables the limit.
   */
  apiRateLimit: number;
  logLevel: string;
  /** `logsCalls` says whether each call of a model is a line on standard output. */
  logsCalls: boolean;
  /** `metricsHost` is where metrics have a listener of their own. */
  metricsHost: string;
  metricsPort: number | undefined;
  /** `metricsToken` is who presents it may read the metrics on the main port. */
  metricsToken: string | undefined;
  metricsLabels: readonly MetricLabelChoice[];
  /** `countsGenAi` says whether calls are counted by OpenTelemetry's names as well. */
  countsGenAi: boolean;
  metricsSeriesMax: number;
  /** `otel` is where and which spans are sent; undefined where none are. */
  otel: OtelSettings | undefined;
  /** `bodyStore` is where contents of calls are kept; undefined where none are. */
  bodyStore: BodyStoreSettings | undefined;
  shutdownGraceMs: number;
  /**
   * `upstreamIdleTimeoutMs` says how long a provider may be silent before and during its response.
   */
  upstreamIdleTimeoutMs: number;
  /**
   * `upstreamConnectTimeoutMs` says how long a connection to a provider may take to be established.
   */
  upstreamConnectTimeoutMs: number;
  /** `clientStallTimeoutMs` says how long a client may stop reading a response. */
  clientStallTimeoutMs: number;
  /** Interval between tests of all channels; 0 disables them. */
  channelTestEveryMs: number;
  /** The aliases of variables that were used, for the first lines of the log. */
  aliasesUsed: string[];
  /** `foreignNotes` says which variables of other systems are set and not read. */
  foreignNotes: readonly string[];
}

/** `Config` is what a gateway runs with (site-master-key.ts). */
export interface Config extends Settings {
  masterKey: Uint8Array;
}

/**
 * `readGatewayAddress` gives what the commands need that manage a running gateway: it may be that
 * of another machine, so nothing else is read.
 */
export function readGatewayAddress(stated: Environment) {
  const environment = readSecretFiles(stated);
  const { PORT, TOLLGATE_URL, TOLLGATE_KEY } = variables;
  const given = {
    PORT: environment.PORT || undefined,
    TOLLGATE_URL: environment.TOLLGATE_URL || undefined,
  };
  const parsed = z.safeParse(z.object({ PORT, TOLLGATE_URL, TOLLGATE_KEY }), {
    ...given,
    TOLLGATE_KEY: environment.TOLLGATE_KEY,
  });
  if (!parsed.success)
    throw new ConfigError(
      parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}`).join("; "),
    );
  const { data } = parsed;
  return {
    url: data.TOLLGATE_URL ?? `http://127.0.0.1:${data.PORT}`,
    key: data.TOLLGATE_KEY ?? "",
  };
}

/**
 * `readGiven` gives the variables that have a value, by their names here, with those of files in
 * place.
 */
export function readGiven(stated: Environment) {
  const environment = readSecretFiles(stated);
  const given: Record<string, string> = {};
  const aliasesUsed: string[] = [];
  const aliasOf = new Map<string, string>();
  for (const name of Object.keys(variables)) {
    const value = environment[name];
    if (value !== undefined && value !== "") given[name] = value;
  }
  for (const [alias, variable] of Object.entries(aliases)) {
    const value = environment[alias];
    if (!value || given[variable]) continue;
    given[variable] = value;
    aliasOf.set(variable, alias);
    aliasesUsed.push(`${alias} was read as ${variable}`);
  }
  return { environment, given, aliasesUsed, aliasOf };
}

export function readSettings(stated: Environment): Settings {
  const { environment, given, aliasesUsed, aliasOf } = readGiven(stated);
  const parsed = z.safeParse(z.object(variables), given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => {
      const name = String(path[0]);
      return `${aliasOf.get(name) ?? name} ${message}`;
    });
    throw new ConfigError(problems.join("; "));
  }
  const values = parsed.data;
  if (values.METRICS_PORT === values.PORT)
    throw new ConfigError("METRICS_PORT must differ from PORT");
  const otel = buildOtelSettings(values);
  if ("problem" in otel) throw new ConfigError(otel.problem);
  const bodyStore = findBodyStoreSettings(values);
  if (bodyStore && "problem" in bodyStore) throw new ConfigError(bodyStore.problem);
  const trustedHeader = findTrustedHeaderSettings(values);
  if (trustedHeader && "problem" in trustedHeader) throw new ConfigError(trustedHeader.problem);
  if (values.DATABASE_READ_URL && !values.DATABASE_URL)
    throw new ConfigError("DATABASE_READ_URL is a standby of DATABASE_URL, which is not set");
  const dataDir = resolve(values.DATA_DIR);
  return {
    host: values.HOST,
    port: values.PORT,
    dataDir,
    databaseUrl: values.DATABASE_URL,
    redisUrl: values.REDIS_URL ? new URL(values.REDIS_URL) : undefined,
    databaseDirectUrl: values.DATABASE_DIRECT_URL,
    databasePooler: values.DATABASE_POOLER,
    databaseReadUrl: values.DATABASE_READ_URL,
    databaseConnections: values.DATABASE_CONNECTIONS,
    masterKeyGiven: values.MASTER_KEY ? Buffer.from(values.MASTER_KEY, "base64") : undefined,
    newMasterKey: values.NEW_MASTER_KEY ? Buffer.from(values.NEW_MASTER_KEY, "base64") : undefined,
    initialRootPassword: values.INITIAL_ROOT_PASSWORD,
    importSource: values.IMPORT_SOURCE,
    importLogSource: values.IMPORT_LOG_SOURCE,
    publicUrl: values.PUBLIC_URL ? new URL(values.PUBLIC_URL) : undefined,
    securityContact: values.SECURITY_CONTACT,
    trustedProxies: values.TRUSTED_PROXIES,
    trustedHeader,
    upstreamPrivateHosts: new Set(values.UPSTREAM_PRIVATE_HOSTS),
    identityPrivateHosts: new Set(values.IDENTITY_PRIVATE_HOSTS),
    noticePrivateHosts: new Set(values.NOTICE_PRIVATE_HOSTS),
    guardPrivateHosts: new Set(values.GUARD_PRIVATE_HOSTS),
    importPrivateHosts: new Set(values.IMPORT_PRIVATE_HOSTS),
    mcpPrivateHosts: new Set(values.MCP_PRIVATE_HOSTS),
    priceListPrivateHosts: new Set(values.PRICE_LIST_PRIVATE_HOSTS),
    proxyPrivateHosts: new Set(values.PROXY_PRIVATE_HOSTS),
    tokenKeyPrefix: values.TOKEN_KEY_PREFIX,
    providerUrls: {
      github: values.GITHUB_URL,
      githubApi: values.GITHUB_API_URL,
      lark: values.LARK_URL,
      discord: values.DISCORD_URL,
      linuxdo: values.LINUX_DO_URL,
      telegram: values.TELEGRAM_URL,
    },
    captchaUrls: { turnstile: values.TURNSTILE_URL, hcaptcha: values.HCAPTCHA_URL },
    smtpUrl: values.SMTP_URL ? new URL(values.SMTP_URL) : undefined,
    isReadOnly: values.READ_ONLY === "true",
    apiRateLimit: values.API_RATE_LIMIT,
    logLevel: values.LOG_LEVEL,
    logsCalls: values.LOG_CALLS === "true",
    metricsHost: values.METRICS_HOST,
    metricsPort: values.METRICS_PORT,
    metricsToken: values.METRICS_TOKEN,
    metricsLabels: [...new Set(values.METRICS_LABELS)],
    countsGenAi: values.METRICS_GEN_AI === "true",
    metricsSeriesMax: values.METRICS_SERIES_MAX,
    otel: otel.settings,
    bodyStore,
    shutdownGraceMs: values.SHUTDOWN_GRACE_SECONDS * 1000,
    upstreamIdleTimeoutMs: values.UPSTREAM_TIMEOUT_SECONDS * 1000,
    upstreamConnectTimeoutMs: values.UPSTREAM_CONNECT_SECONDS * 1000,
    clientStallTimeoutMs: values.CALLER_TIMEOUT_SECONDS * 1000,
    channelTestEveryMs: values.CHANNEL_TEST_FREQUENCY * 60_000,
    aliasesUsed,
    foreignNotes: [...formatForeignVariableNotes(environment), ...otel.notes],
  };
}
