import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { User } from "@tollgate/contract/accounts/users.ts";
import type { StatusLabel } from "../../components/lists/status-badge.tsx";
import type { UserPermissions } from "./user-screen-rules.ts";

/** The options of the role filter. */
export const roleNames: readonly { role: number; name: MessageDescriptor }[] = [
  { role: roles.user, name: msg`Normal` },
  { role: roles.admin, name: msg`Admin` },
  { role: roles.root, name: msg`Super Admin` },
];

/** `readRoleName` gives the role of an account in a word; undefined for one that is unknown. */
export const readRoleName = ({
  role,
  read_only,
}: Pick<User, "role" | "read_only">): MessageDescriptor | undefined =>
  role === roles.admin && read_only === true
    ? msg`Auditor`
    : roleNames.findLast((one) => one.role <= role)?.name;

export const userStatuses: Readonly<Record<number, StatusLabel>> = {
  [userStatus.enabled]: { label: msg`Enabled`, tone: "good" },
  [userStatus.disabled]: { label: msg`Disabled`, tone: "neutral" },
};

/** The wording of the gateway's refusals. */
export const refusalReasons: Record<NonNullable<UserPermissions["reason"]>, MessageDescriptor> = {
  yourself: msg`Change your own account in your personal settings`,
  outOfReach: msg`You can only manage users whose role is lower than yours`,
};
