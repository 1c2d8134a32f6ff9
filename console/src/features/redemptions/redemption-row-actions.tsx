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
import { api } from "../../api.ts";
import { RefusedVerb } from "../../pieces/refused-verb.tsx";
import { RowActions } from "../../pieces/row-actions.tsx";
import { toastFailure } from "../../pieces/toast-failure.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { MenuHeading, MenuItem } from "../../ui/menu.tsx";
import { toast } from "../../ui/toast.tsx";
import { bothIds, refOf } from "../../wire.ts";
import { isUsed, toggledStatus } from "./redemption-rules.ts";

const refreshes = [listRedemptions, searchRedemptions];

export function RedemptionRowActions({ code }: { code: Redemption }) {
  const { t } = useLingui();
  const [isAsking, setAsking] = useState(false);
  const toggle = useMutation(api.mutation(updateRedemptionStatus, { refreshes }));
  const remove = useMutation(api.mutation(deleteRedemption, { refreshes }));
  const { name } = code;
  const next = toggledStatus(code.status);
  const isFinal = isUsed(code);
  const changeStatus = () =>
    toggle.mutate(
      { query: { status_only: "true" }, body: { ...bothIds(code), status: next } },
      {
        onSuccess: () => toast(next === 1 ? t`${name} is enabled` : t`${name} is disabled`),
        onError: toastFailure,
      },
    );
  const finalWords = t`This redemption code was used and is final`;
  return (
    <>
      <RowActions
        name={name}
        isBusy={toggle.isPending}
        verb={
          isFinal ? (
            <RefusedVerb reason={finalWords}>
              <Trans>Edit</Trans>
            </RefusedVerb>
          ) : (
            <ButtonLink size="sm" variant="ghost" to="/redemptions/edit/$id" params={{ id: refOf(code) }}>
              <Trans>Edit</Trans>
            </ButtonLink>
          )
        }
      >
        {isFinal ? (
          <MenuHeading>{finalWords}</MenuHeading>
        ) : (
          <MenuItem icon={next === 1 ? <CircleCheck /> : <Ban />} disabled={toggle.isPending} onSelect={changeStatus}>
            {next === 1 ? <Trans>Enable</Trans> : <Trans>Disable</Trans>}
          </MenuItem>
        )}
        <MenuItem icon={<Trash2 />} tone="bad" onSelect={() => setAsking(true)}>
          <Trans>Delete</Trans>
        </MenuItem>
      </RowActions>
      {isAsking && (
        <Confirm
          open
          onClose={() => setAsking(false)}
          title={t`Delete ${name}`}
          question={
            isFinal
              ? t`Are you sure you want to delete redemption code "${name}"? What it has paid stays paid.`
              : t`Are you sure you want to delete redemption code "${name}"? Nobody can redeem it any more.`
          }
          verb={<Trans>Delete</Trans>}
          onConfirm={async () => {
            await remove.mutateAsync({ params: { id: refOf(code) } });
            toast(t`${name} is deleted`);
          }}
        />
      )}
    </>
  );
}
