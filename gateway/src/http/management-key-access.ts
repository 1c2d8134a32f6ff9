/**
 * The rights of a call with a management key. Pure: every decision about them that no database is
 * needed for.
 */

import {
  auditorScopes,
  buildGrantableScopes,
  teamScopes,
} from "@tollgate/contract/accounts/grantable-scopes.ts";
import type { Scope } from "@tollgate/contract/accounts/scopes.ts";
import { type AddressBlock, blockContains, parseAddress } from "@tollgate/contract/api/cidr.ts";
import type { EndpointSpec } from "@tollgate/contract/api/endpoint.ts";
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import type { ManagementKeyCredential, Principal } from "./request-context.ts";

/**
 * `buildScopesInForce` gives those that were given and that the maker's present role may still
 * give.
 */
export const buildScopesInForce = (
  { scopes, teamId }: Pick<ManagementKeyCredential, "scopes" | "teamId">,
  { role, isReadOnly }: Pick<Principal, "role" | "isReadOnly">,
): Scope[] => {
  const given = isReadOnly ? auditorScopes : buildGrantableScopes(role);
  const grantable = teamId === undefined ? given : teamScopes.filter((one) => given.includes(one));
  return scopes.filter((scope) => grantable.some((one) => one === scope));
};

function isAllowedFrom(address: string, subnet: readonly AddressBlock[]): boolean {
  if (subnet.length === 0) return true;
  const bytes = parseAddress(address);
  return bytes !== undefined && subnet.some((block) => blockContains(block, bytes));
}

/**
 * `buildKeyRefusal` says why a key may not call an operation; undefined where it may. `role` is the
 * maker's at the moment of the call; that it suffices for the operation is checked besides, as for
 * every caller.
 */
export function buildKeyRefusal(
  { scope, inTeam }: Pick<EndpointSpec, "scope" | "inTeam">,
  key: Pick<ManagementKeyCredential, "scopes" | "subnet" | "teamId">,
  { address, ...maker }: Pick<Principal, "role" | "isReadOnly"> & { address: string },
): ErrorCode | undefined {
  // First, so that a stolen key reveals nothing about itself from elsewhere.
  if (!isAllowedFrom(address, key.subnet)) return "management_key_address";
  if (scope === "none") return "management_key_not_allowed";
  if (key.teamId !== undefined && !inTeam) return "management_key_team";
  return buildScopesInForce(key, maker).includes(scope) ? undefined : "management_key_scope";
}

/**
 * `hasScope` is for what an operation does besides its own subject: true for a person, who has all
 * rights of the role.
 */
export const hasScope = (
  principal: Pick<Principal, "credential" | "role" | "isReadOnly">,
  scope: Scope,
): boolean =>
  principal.credential.kind !== "management_key" ||
  buildScopesInForce(principal.credential, principal).includes(scope);

/** `readBoundTeam` is the one team that the call may reach; undefined for every other caller. */
export const readBoundTeam = ({ credential }: Pick<Principal, "credential">): number | undefined =>
  credential.kind === "management_key" ? credential.teamId : undefined;

/** Whole codes and other secrets of the site are for people who may change it. */
export const seesSecrets = (principal: Pick<Principal, "credential" | "isReadOnly">): boolean =>
  isPerson(principal) && !principal.isReadOnly;

/** The person, and not a program with a part of their rights. */
export const isPerson = ({ credential }: Pick<Principal, "credential">): boolean =>
  credential.kind !== "management_key";
