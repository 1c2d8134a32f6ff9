import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import {
  deleteRedemption,
  listRedemptions,
  type Redemption,
  searchRedemptions,
  updateRedemptionStatus,
} from "@tollgate/contract/redemptions.ts";
import { Ban, CircleCheck, Trash2 } from "lucide-react";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { entityIds, entityRef } from "../../compat/reply-envelope.ts";
import { DisabledAction } from "../../components/disabled-action.tsx";
import { RowActions } from "../../components/row-actions.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { MenuHeading, MenuItem } from "../../ui/menu.tsx";
import { toast } from "../../ui/toast.tsx";
import { isUsed, toggledStatus } from "./redemption-screen-rules.ts";

const refreshes = [listRedemptions, searchRedemptions];

export function RedemptionRowActions({ code }: { code: Redemption }) {
  const { t } = useLingui();
  const [isDeleting, setDeleting] = useState(false);
  const toggle = useMutation(api.mutation(updateRedemptionStatus, { refreshes }));
  const remove = useMutation(api.mutation(deleteRedemption, { refreshes }));
  const { name } = code;
  const nextStatus = toggledStatus(code.status);
  const isFinal = isUsed(code);
  const changeStatus = () =>
    toggle.mutate(
      { query: { status_only: "true" }, body: { ...entityIds(code), status: nextStatus } },
      {
        onSuccess: () => toast(nextStatus === 1 ? t`${name} is enabled` : t`${name} is disabled`),
        onError: toastError,
      },
    );
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
        {isFinal ? (
          <MenuHeading>{finalReason}</MenuHeading>
        ) : (
          <MenuItem
            icon={nextStatus === 1 ? <CircleCheck /> : <Ban />}
            disabled={toggle.isPending}
            onSelect={changeStatus}
          >
            {nextStatus === 1 ? <Trans>Enable</Trans> : <Trans>Disable</Trans>}
          </MenuItem>
        )}
        <MenuItem icon={<Trash2 />} tone="bad" onSelect={() => setDeleting(true)}>
          <Trans>Delete</Trans>
        </MenuItem>
      </RowActions>
      {isDeleting && (
        <Confirm
          open
          onClose={() => setDeleting(false)}
          title={t`Delete ${name}`}
          question={
            isFinal
              ? t`Are you sure you want to delete redemption code "${name}"? What it has paid stays paid.`
              : t`Are you sure you want to delete redemption code "${name}"? Nobody can redeem it any more.`
          }
          confirmLabel={<Trans>Delete</Trans>}
          onConfirm={async () => {
            await remove.mutateAsync({ params: { id: entityRef(code) } });
            toast(t`${name} is deleted`);
          }}
        />
      )}
    </>
  );
}
