/** The scopes that a user of a role may give to a management key. */

import { roles } from "./roles.ts";
import { type Scope, scopeAccess, scopes } from "./scopes.ts";

export const leastRole = {
  public: roles.guest,
  user: roles.user,
  admin: roles.admin,
  root: roles.root,
} as const;

/** `teamScopes` are those of operations that reach one team alone: a key of a team has no other. */
export const teamScopes = [
  "tokens:read",
  "teams:read",
  "teams:write",
  "logs:read",
  "usage:read",
] as const satisfies Scope[];

/**
 * `auditorScopes` are those of an administrator who only sees. Contents of calls are not for
 * auditors.
 */
export const auditorScopes: readonly Scope[] = scopes.filter(
  (scope) =>
    scope.endsWith(":read") &&
    scope !== "bodies:read" &&
    leastRole[scopeAccess[scope]] <= roles.admin,
);

/**
 * `buildGrantableScopes` also gives the scopes that are in force while the maker of a key has this
 * role.
 */
export const buildGrantableScopes = (role: number): Scope[] =>
  scopes.filter((scope) => leastRole[scopeAccess[scope]] <= role);
