/** The scopes that a user of a role may give to a management key. */

import { roles } from "./roles.ts";
import { type Scope, scopeAccess, scopes } from "./scopes.ts";

export const leastRole = {
  public: roles.guest,
  user: roles.user,
  admin: roles.admin,
  root: roles.root,
} as const;

/**
 * `buildGrantableScopes` also gives the scopes that are in force while the maker of a key has this
 * role.
 */
export const buildGrantableScopes = (role: number): Scope[] =>
  scopes.filter((scope) => leastRole[scopeAccess[scope]] <= role);
