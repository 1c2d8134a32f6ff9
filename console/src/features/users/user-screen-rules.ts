/** What the user screens decide: pure. The gateway decides the same again. */
import { roles, type User, userStatus } from "@tollgate/contract/users.ts";

type PermissionActor = { username: string; role: number };
type PermissionTarget = Pick<User, "username" | "role">;

export type UserPermissions = {
  /** Name, group, quota. */
  edit: boolean;
  /** Status, second factor, deletion, and on the form password and mail address. */
  manage: boolean;
  /** The one other role that could be given. */
  role: "promote" | "demote" | undefined;
  /** Why something above is missing. */
  reason: "yourself" | "outOfReach" | undefined;
};

/** Peers and everyone above are out of reach, except for root; and nobody locks themselves out. */
export function permissionsFor(actor: PermissionActor, target: PermissionTarget): UserPermissions {
  const isRoot = actor.role >= roles.root;
  const reason =
    actor.username === target.username ? "yourself" : isRoot || actor.role > target.role ? undefined : "outOfReach";
  const manage = reason === undefined;
  return {
    edit: manage || (isRoot && reason === "yourself"),
    manage,
    role: isRoot && manage ? otherRole(target) : undefined,
    reason,
  };
}

function otherRole({ role }: PermissionTarget): UserPermissions["role"] {
  return role === roles.user ? "promote" : role === roles.admin ? "demote" : undefined;
}

/** Other servers keep deleted accounts in what they find. */
export const isNotDeleted = ({ status }: Pick<User, "status">): boolean => status !== userStatus.deleted;

/** Only other servers send it. */
export const isUnlimited = ({ quota }: Pick<User, "quota">): boolean => quota === -1;

const filteredRoles: readonly number[] = [roles.user, roles.admin, roles.root];

/** The role that an address asks for, or none. */
export function roleFilter(text: string): number | undefined {
  return filteredRoles.find((role) => String(role) === text);
}
