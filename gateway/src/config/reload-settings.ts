/**
 * A reload: variables that are live act at once, the others are named. An environment with which
 * the program would not start changes nothing.
 */
import { readGiven, readSettings, type Settings } from "./config.ts";
import type { Environment } from "./open-environment.ts";
import { type LiveVariable, liveVariables } from "./variable-groups.ts";

/** The member of the settings that each live variable decides. */
const liveMembers = {
  LOG_LEVEL: "logLevel",
  METRICS_TOKEN: "metricsToken",
  SMTP_URL: "smtpUrl",
  SECURITY_CONTACT: "securityContact",
  READ_ONLY: "isReadOnly",
  API_RATE_LIMIT: "apiRateLimit",
  SHUTDOWN_GRACE_SECONDS: "shutdownGraceMs",
  UPSTREAM_PRIVATE_HOSTS: "upstreamPrivateHosts",
  IDENTITY_PRIVATE_HOSTS: "identityPrivateHosts",
  NOTICE_PRIVATE_HOSTS: "noticePrivateHosts",
  GUARD_PRIVATE_HOSTS: "guardPrivateHosts",
  MCP_PRIVATE_HOSTS: "mcpPrivateHosts",
  PRICE_LIST_PRIVATE_HOSTS: "priceListPrivateHosts",
  IMPORT_PRIVATE_HOSTS: "importPrivateHosts",
  PROXY_PRIVATE_HOSTS: "proxyPrivateHosts",
} as const satisfies Record<LiveVariable, keyof Settings>;

export interface Reloaded {
  /** The variables that have another value, which acts now. */
  changed: string[];
  /** The variables whose value of now needs a restart. */
  needsRestart: string[];
}

const isLive = (name: string): name is LiveVariable => Object.hasOwn(liveMembers, name);

function takeMember<Member extends keyof Settings>(
  settings: Settings,
  next: Settings,
  member: Member,
): void {
  const held = settings[member];
  const value = next[member];
  // Whoever calls private hosts holds the set itself.
  if (held instanceof Set && value instanceof Set) {
    held.clear();
    for (const host of value) held.add(host);
  } else settings[member] = value;
}

/**
 * `createReload` returns what a reload does; it changes live members of `settings`, and throws
 * `ConfigError` where it changes nothing.
 */
export function createReload(read: () => Environment, settings: Settings): () => Reloaded {
  const known = { ...readGiven(read()).given };
  return () => {
    const environment = read();
    const next = readSettings(environment);
    const { given } = readGiven(environment);
    const others = [...new Set([...Object.keys(known), ...Object.keys(given)])]
      .filter((name) => known[name] !== given[name])
      .sort();
    const changed = others.filter(isLive);
    for (const name of changed) takeMember(settings, next, liveMembers[name]);
    for (const name of liveVariables) {
      const value = given[name];
      if (value === undefined) delete known[name];
      else known[name] = value;
    }
    return { changed, needsRestart: others.filter((name) => !isLive(name)) };
  };
}
