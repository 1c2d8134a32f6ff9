import { Trans, useLingui } from "@lingui/react/macro";
import type { User } from "@tollgate/contract/accounts/users.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { DisabledAction } from "../../components/disabled-action.tsx";
import { RowLink } from "../../ui/table/row-link.tsx";
import { refusalReasons } from "./user-labels.ts";
import type { UserPermissions } from "./user-screen-rules.ts";

/**
 * Links to the user form, or for the own account to the personal settings. Disabled with the reason
 * otherwise.
 */
export function UserEditLink({
  user,
  permits: permissions,
}: {
  user: User;
  permits: UserPermissions;
}) {
  const { t } = useLingui();
  if (permissions.edit) {
    return (
      <RowLink to="/users/edit/$id" id={readEntityRef(user)}>
        <Trans>Edit</Trans>
      </RowLink>
    );
  }
  if (permissions.reason === "yourself") {
    return (
      <RowLink to="/settings">
        <Trans>Edit</Trans>
      </RowLink>
    );
  }
  return (
    <DisabledAction reason={t(refusalReasons.outOfReach)}>
      <Trans>Edit</Trans>
    </DisabledAction>
  );
}
