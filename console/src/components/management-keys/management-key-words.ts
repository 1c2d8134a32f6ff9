/** The rights of management keys, in words. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { type Scope, scopes } from "@tollgate/contract/accounts/scopes.ts";

export const scopeWords: Readonly<Record<Scope, MessageDescriptor>> = {
  "tokens:read": msg`See API keys and whether a call would work, never a whole key`,
  "tokens:write": msg`Create, change and delete API keys, which spend the balance of their owner`,
  "users:read": msg`See accounts`,
  "users:write": msg`Create, change and delete accounts of users, but no roles, passwords or balances`,
  "channels:read": msg`See channels, never their keys`,
  "channels:write": msg`Create, change, test and delete channels`,
  "models:read": msg`See models`,
  "teams:read": msg`See teams, their members and their keys`,
  "teams:write": msg`Change teams, their members and their keys`,
  "budgets:read": msg`See budgets and what is spent of them`,
  "budgets:write": msg`Create, change and delete budgets`,
  "redemptions:read": msg`See redemption codes, never a whole code`,
  "redemptions:write": msg`Disable and delete redemption codes, and create them where it may give quota`,
  "logs:read": msg`See logs and traces of calls`,
  "logs:write": msg`Clear logs`,
  "bodies:read": msg`Read what is kept of prompts and answers`,
  "bodies:write": msg`Delete what is kept of prompts and answers`,
  "usage:read": msg`See the dashboard and sums of usage`,
  "options:read": msg`See settings, never their secrets`,
  "options:write": msg`Change settings, except for sign-in, mail and what users are given`,
  "config:read": msg`Export the configuration, never its secrets`,
  "config:write": msg`Apply configuration files: channels, virtual models, and settings as far as keys may change them`,
  "alerts:read": msg`See alerts`,
  "alerts:write": msg`Mute alerts`,
  "audit:read": msg`See and export the record of changes`,
  "metrics:read": msg`Read the metrics of the gateway, for Prometheus`,
  "wallets:grant": msg`Give quota to users and take it back`,
};

const subjectWords: Readonly<Record<string, MessageDescriptor>> = {
  tokens: msg`API keys`,
  users: msg`Users`,
  channels: msg`Channels`,
  models: msg`Models`,
  teams: msg`Teams`,
  budgets: msg`Budgets`,
  redemptions: msg`Redemptions`,
  logs: msg`Logs`,
  usage: msg`Usage`,
  options: msg`Settings`,
  config: msg`Configuration`,
  alerts: msg`Alerts`,
  audit: msg`Changes`,
  metrics: msg`Metrics`,
  wallets: msg`Quota`,
};

/**
 * `ScopeRow` is one line of the matrix: what a subject's scopes are, of those that may be given.
 */
export interface ScopeRow {
  subject: string;
  label: MessageDescriptor;
  read: Scope | undefined;
  /** `write` is the scope to change, or to grant. */
  write: Scope | undefined;
}

export function scopeRows(grantable: readonly Scope[]): ScopeRow[] {
  const subjects = [...new Set(grantable.map((scope) => scope.split(":")[0] ?? ""))];
  return subjects.flatMap((subject) => {
    const of = grantable.filter((scope) => scope.startsWith(`${subject}:`));
    const label = subjectWords[subject];
    const read = of.find((scope) => scope.endsWith(":read"));
    return label ? [{ subject, label, read, write: of.find((scope) => scope !== read) }] : [];
  });
}

export const scopePresets: readonly {
  name: string;
  label: MessageDescriptor;
  scopes: readonly Scope[];
}[] = [
  {
    name: "read",
    label: msg`Read only`,
    scopes: scopes.filter((scope) => scope.endsWith(":read")),
  },
  { name: "tokens", label: msg`API keys`, scopes: ["tokens:read", "tokens:write", "models:read"] },
  {
    name: "channels",
    label: msg`Channels`,
    scopes: ["channels:read", "channels:write", "models:read"],
  },
  { name: "config", label: msg`Configuration`, scopes: ["config:read", "config:write"] },
];
