import { Trans, useLingui } from "@lingui/react/macro";
import type { User } from "@tollgate/contract/users.ts";
import { entityRef } from "../../compat/entity-ids.ts";
import { DisabledAction } from "../../components/disabled-action.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { refusalReasons } from "./user-labels.ts";
import type { UserPermissions } from "./user-screen-rules.ts";

/** Links to the user form, or for the own account to the personal settings. Disabled with the reason otherwise. */
export function UserEditLink({ user, permits: permissions }: { user: User; permits: UserPermissions }) {
  const { t } = useLingui();
  const buttonProps = { size: "sm", variant: "ghost" } as const;
  if (permissions.edit) {
    return (
      <ButtonLink {...buttonProps} to="/users/edit/$id" params={{ id: entityRef(user) }}>
        <Trans>Edit</Trans>
      </ButtonLink>
    );
  }
  if (permissions.reason === "yourself") {
    return (
      <ButtonLink {...buttonProps} to="/settings">
        <Trans>Edit</Trans>
      </ButtonLink>
    );
  }
  return (
    <DisabledAction reason={t(refusalReasons.outOfReach)}>
      <Trans>Edit</Trans>
    </DisabledAction>
  );
}
