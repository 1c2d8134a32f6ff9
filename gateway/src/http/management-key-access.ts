/**
 * The rights of a call with a management key. Pure: every decision about them that no database is
 * needed for.
 */

import { buildGrantableScopes, teamScopes } from "@tollgate/contract/accounts/grantable-scopes.ts";
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
  role: number,
): Scope[] => {
  const grantable = teamId === undefined ? buildGrantableScopes(role) : teamScopes;
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
  { role, address }: { role: number; address: string },
): ErrorCode | undefined {
  // First, so that a stolen key reveals nothing about itself from elsewhere.
  if (!isAllowedFrom(address, key.subnet)) return "management_key_address";
  if (scope === "none") return "management_key_not_allowed";
  if (key.teamId !== undefined && !inTeam) return "management_key_team";
  return buildScopesInForce(key, role).includes(scope) ? undefined : "management_key_scope";
}

/**
 * `hasScope` is for what an operation does besides its own subject: true for a person, who has all
 * rights of the role.
 */
export const hasScope = (
  { credential, role }: Pick<Principal, "credential" | "role">,
  scope: Scope,
): boolean =>
  credential.kind !== "management_key" || buildScopesInForce(credential, role).includes(scope);

/** `readBoundTeam` is the one team that the call may reach; undefined for every other caller. */
export const readBoundTeam = ({ credential }: Pick<Principal, "credential">): number | undefined =>
  credential.kind === "management_key" ? credential.teamId : undefined;

/** The person, and not a program with a part of their rights. */
export const isPerson = ({ credential }: Pick<Principal, "credential">): boolean =>
  credential.kind !== "management_key";
