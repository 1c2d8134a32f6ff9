import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { TeamRole } from "@tollgate/contract/accounts/teams.ts";

export const teamRoleLabels: Readonly<Record<TeamRole, MessageDescriptor>> = {
  admin: msg`Team admin`,
  member: msg`Member`,
  viewer: msg`Viewer`,
};

/** `teamRoleHelp` says what a role may do, in the form that gives it. */
export const teamRoleHelp: Readonly<Record<TeamRole, MessageDescriptor>> = {
  admin: msg`Manages members, service keys and the balance`,
  member: msg`Makes API keys that the team pays for`,
  viewer: msg`Sees all figures and makes no keys`,
};
