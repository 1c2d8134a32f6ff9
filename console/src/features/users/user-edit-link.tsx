import { Trans, useLingui } from "@lingui/react/macro";
import type { User } from "@tollgate/contract/users.ts";
import { RefusedVerb } from "../../pieces/refused-verb.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { refOf } from "../../wire.ts";
import type { Permits } from "./user-rules.ts";
import { reasons } from "./user-words.ts";

/** To the form, for one's own account to the personal one; where neither helps it says why. */
export function UserEditLink({ user, permits }: { user: User; permits: Permits }) {
  const { t } = useLingui();
  const look = { size: "sm", variant: "ghost" } as const;
  if (permits.edit) {
    return (
      <ButtonLink {...look} to="/users/edit/$id" params={{ id: refOf(user) }}>
        <Trans>Edit</Trans>
      </ButtonLink>
    );
  }
  if (permits.reason === "yourself") {
    return (
      <ButtonLink {...look} to="/settings">
        <Trans>Edit</Trans>
      </ButtonLink>
    );
  }
  return (
    <RefusedVerb reason={t(reasons.outOfReach)}>
      <Trans>Edit</Trans>
    </RefusedVerb>
  );
}
