import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import {
  deleteRedemption,
  listRedemptions,
  type Redemption,
  searchRedemptions,
  updateRedemptionStatus,
} from "@tollgate/contract/accounts/redemptions.ts";
import { buildEntityIds, readEntityRef } from "../../compat/entity-ids.ts";
import { DisabledAction } from "../../components/disabled-action.tsx";
import { RowActions, RowMenu } from "../../components/lists/row-actions.tsx";
import { useRowRemoval } from "../../components/lists/row-removal.tsx";
import { useStatusToggle } from "../../components/lists/row-status.tsx";
import { MenuHeading } from "../../ui/menu/menu.tsx";
import { RowLink } from "../../ui/table/row-link.tsx";
import { isUsed } from "./redemption-screen-rules.ts";

const refreshes = [listRedemptions, searchRedemptions];

const finalReason = msg`This redemption code was used and is final`;

export function RedemptionRowActions({ code }: { code: Redemption }) {
  const { t } = useLingui();
  return (
    <RowActions
      name={code.name}
      primary={
        isUsed(code) ? (
          <DisabledAction reason={t(finalReason)}>
            <Trans>Edit</Trans>
          </DisabledAction>
        ) : (
          <RowLink to="/redemptions/edit/$id" id={readEntityRef(code)}>
            <Trans>Edit</Trans>
          </RowLink>
        )
      }
    >
      <RedemptionVerbs code={code} />
    </RowActions>
  );
}

function RedemptionVerbs({ code }: { code: Redemption }) {
  const { t } = useLingui();
  const { name } = code;
  const isFinal = isUsed(code);
  const toggle = useStatusToggle({
    endpoint: updateRedemptionStatus,
    refreshes,
    name,
    status: code.status,
    input: (status) => ({
      query: { status_only: "true" },
      body: { ...buildEntityIds(code), status },
    }),
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
  return (
    <>
      <RowMenu isBusy={toggle.isPending}>
        {isFinal ? <MenuHeading>{t(finalReason)}</MenuHeading> : toggle.item()}
        {removal.item}
      </RowMenu>
      {removal.dialog}
    </>
  );
}
