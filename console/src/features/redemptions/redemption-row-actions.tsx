import { Trans, useLingui } from "@lingui/react/macro";
import {
  deleteRedemption,
  listRedemptions,
  type Redemption,
  searchRedemptions,
  updateRedemptionStatus,
} from "@tollgate/contract/redemptions.ts";
import { entityIds, entityRef } from "../../compat/entity-ids.ts";
import { DisabledAction } from "../../components/disabled-action.tsx";
import { RowActions } from "../../components/row-actions.tsx";
import { useRowRemoval } from "../../components/row-removal.tsx";
import { useStatusToggle } from "../../components/row-status.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { MenuHeading } from "../../ui/menu.tsx";
import { isUsed } from "./redemption-screen-rules.ts";

const refreshes = [listRedemptions, searchRedemptions];

export function RedemptionRowActions({ code }: { code: Redemption }) {
  const { t } = useLingui();
  const { name } = code;
  const isFinal = isUsed(code);
  const toggle = useStatusToggle({
    endpoint: updateRedemptionStatus,
    refreshes,
    name,
    status: code.status,
    input: (status) => ({ query: { status_only: "true" }, body: { ...entityIds(code), status } }),
  });
  const removal = useRowRemoval({
    endpoint: deleteRedemption,
    refreshes,
    row: code,
    name,
    question: isFinal
      ? t`Are you sure you want to delete redemption code "${name}"? What it has paid stays paid.`
      : t`Are you sure you want to delete redemption code "${name}"? It can no longer be redeemed.`,
  });
  const finalReason = t`This redemption code was used and is final`;
  return (
    <>
      <RowActions
        name={name}
        isBusy={toggle.isPending}
        primary={
          isFinal ? (
            <DisabledAction reason={finalReason}>
              <Trans>Edit</Trans>
            </DisabledAction>
          ) : (
            <ButtonLink size="sm" variant="ghost" to="/redemptions/edit/$id" params={{ id: entityRef(code) }}>
              <Trans>Edit</Trans>
            </ButtonLink>
          )
        }
      >
        {isFinal ? <MenuHeading>{finalReason}</MenuHeading> : toggle.item()}
        {removal.item}
      </RowActions>
      {removal.dialog}
    </>
  );
}
