/** Pure functions of the user pages. The gateway enforces the same permissions. */
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { User } from "@tollgate/contract/accounts/users.ts";

type PermissionActor = { username: string; role: number };
type PermissionTarget = Pick<User, "username" | "role">;

export type UserPermissions = {
  /** May edit name, group and quota. */
  edit: boolean;
  /** May change status, second factor, password and mail address, and delete. */
  manage: boolean;
  /** The possible change of role. */
  role: "promote" | "demote" | undefined;
  /** `reason` says why a permission is missing. */
  reason: "yourself" | "outOfReach" | undefined;
};

/**
 * Only root may manage users of the same or a higher role, and no user may manage their own account
 * here.
 */
export function buildPermissions(
  actor: PermissionActor,
  target: PermissionTarget,
): UserPermissions {
  const isRoot = actor.role >= roles.root;
  const reason =
    actor.username === target.username
      ? "yourself"
      : isRoot || actor.role > target.role
        ? undefined
        : "outOfReach";
  const manage = reason === undefined;
  return {
    edit: manage || (isRoot && reason === "yourself"),
    manage,
    role: isRoot && manage ? findOtherRole(target) : undefined,
    reason,
  };
}

function findOtherRole({ role }: PermissionTarget): UserPermissions["role"] {
  return role === roles.user ? "promote" : role === roles.admin ? "demote" : undefined;
}

const filteredRoles: readonly number[] = [roles.user, roles.admin, roles.root];

/** The role in the URL, or undefined. */
export function findRoleFilter(text: string): number | undefined {
  return filteredRoles.find((role) => String(role) === text);
}
