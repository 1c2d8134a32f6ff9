/** The rights that a management key may have: a part of those of its maker. */

/**
 * Every scope with the lowest role that may give it to a key. The key has the scope only while its
 * maker has that role; each operation checks the maker's role besides.
 */
export const scopeAccess = {
  "tokens:read": "user",
  "tokens:write": "user",
  "users:read": "user",
  "users:write": "admin",
  "channels:read": "admin",
  "channels:write": "admin",
  "models:read": "user",
  "budgets:read": "admin",
  "budgets:write": "admin",
  /** The maker's own teams; every team where the maker is an administrator. */
  "teams:read": "user",
  "teams:write": "user",
  "redemptions:read": "admin",
  "redemptions:write": "admin",
  "logs:read": "user",
  "logs:write": "admin",
  /** `bodies:read` is what was kept of prompts and answers. */
  "bodies:read": "user",
  "bodies:write": "user",
  "usage:read": "user",
  "alerts:read": "admin",
  "alerts:write": "admin",
  "options:read": "root",
  "options:write": "root",
  /**
   * Channels, virtual models and MCP servers as a document; settings too where the maker is root.
   */
  "config:read": "admin",
  "config:write": "admin",
  "audit:read": "root",
  /** GET /metrics, which is beside the management API. */
  "metrics:read": "admin",
  /** Money that leaves the operator's account: an administrator gives it in person. */
  "wallets:grant": "root",
} as const;

export type Scope = keyof typeof scopeAccess;
export const scopes = Object.keys(scopeAccess) as Scope[];
