import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import {
  deleteOwnDestination,
  listOwnDestinations,
  type OwnDestination,
  rotateOwnDestination,
  testOwnDestination,
  updateOwnDestination,
} from "@tollgate/contract/own-destinations.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { alertRuleLabels } from "../../components/alert-rule-words.ts";
import { ItemActions, ItemRow, ItemText, ItemTitle } from "../../components/item-row.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Time } from "../../ui/time.tsx";
import { destinationKindLabels } from "./alert-words.ts";
import { OwnDestinationDialog } from "./own-destination-dialog.tsx";
import { TestOutcome } from "./test-outcome.tsx";
import { VerifyDestination } from "./verify-destination.tsx";

type OwnDestinationItemProps = { destination: OwnDestination; onSecret: (secret: string) => void };

export function OwnDestinationItem({ destination, onSecret }: OwnDestinationItemProps) {
  const { t } = useLingui();
  const [open, setOpen] = useState<"edit" | "delete" | "rotate">();
  const tryOut = useMutation(api.mutation(testOwnDestination));
  const change = useMutation(api.mutation(updateOwnDestination, { refreshes: [listOwnDestinations] }));
  const { id, name, kind, rules, language, verified, disabled } = destination;
  const params = { id: String(id) };
  const close = () => setOpen(undefined);
  const toggle = () =>
    change.mutate(
      { params, body: { name, rules: rules as [], language: language as "", disabled: !disabled } },
      { onError: toastError },
    );
  return (
    <ItemRow>
      <OwnDestinationFacts destination={destination} />
      <ItemActions>
        {verified && (
          <Button
            size="sm"
            busy={tryOut.isPending}
            aria-label={t`Test ${name}`}
            onClick={() => tryOut.mutate({ params }, { onError: toastError })}
          >
            <Trans>Test</Trans>
          </Button>
        )}
        <Button size="sm" aria-label={t`Edit ${name}`} onClick={() => setOpen("edit")}>
          <Trans>Edit</Trans>
        </Button>
        {kind === "webhook" && (
          <Button size="sm" aria-label={t`New secret of ${name}`} onClick={() => setOpen("rotate")}>
            <Trans>New secret</Trans>
          </Button>
        )}
        <Button
          size="sm"
          busy={change.isPending}
          aria-label={disabled ? t`Enable ${name}` : t`Disable ${name}`}
          onClick={toggle}
        >
          {disabled ? <Trans>Enable</Trans> : <Trans>Disable</Trans>}
        </Button>
        <Button size="sm" variant="ghost" aria-label={t`Delete ${name}`} onClick={() => setOpen("delete")}>
          <Trans>Delete</Trans>
        </Button>
      </ItemActions>
      {tryOut.data !== undefined && !tryOut.isPending && <TestOutcome {...tryOut.data.data} />}
      {!verified && <VerifyDestination destination={destination} />}
      {open === "edit" && <OwnDestinationDialog destination={destination} onClose={close} />}
      <Confirm
        open={open === "rotate"}
        onClose={close}
        title={t`New secret of ${name}`}
        question={<Trans>The old secret signs beside the new one for 24 hours, and then no more.</Trans>}
        confirmLabel={<Trans>New secret</Trans>}
        variant="primary"
        onConfirm={async () => onSecret((await api.call(rotateOwnDestination, { params })).data.signing_secret)}
      />
      <Confirm
        open={open === "delete"}
        onClose={close}
        title={t`Delete ${name}`}
        question={<Trans>No notice goes there any more, and what was sent there is forgotten.</Trans>}
        confirmLabel={<Trans>Delete</Trans>}
        onConfirm={async () => {
          await api.call(deleteOwnDestination, { params });
          await api.refresh(listOwnDestinations);
        }}
      />
    </ItemRow>
  );
}

function OwnDestinationFacts({ destination }: { destination: OwnDestination }) {
  const { t } = useLingui();
  const { name, kind, hint, rules, verified, disabled, disabled_reason, failing_since, reachable } = destination;
  const told = rules.map((rule) => t(alertRuleLabels[rule] ?? { id: rule }));
  return (
    <ItemText>
      <ItemTitle>
        <span className="font-medium [overflow-wrap:anywhere]">{name}</span>
        {!verified && (
          <Badge tone="warn">
            <Trans>Not verified</Trans>
          </Badge>
        )}
        {disabled && (
          <Badge>
            <Trans>Disabled</Trans>
          </Badge>
        )}
        {failing_since !== null && !disabled && (
          <Badge tone="bad">
            <Trans>Failing</Trans>
          </Badge>
        )}
      </ItemTitle>
      <p className="text-muted text-sm [overflow-wrap:anywhere]">
        {t(destinationKindLabels[kind] ?? { id: kind })} · {hint === "" ? t`The address of your account` : hint}
      </p>
      {told.length > 0 && <p className="text-muted text-sm">{told.join(", ")}</p>}
      {disabled_reason === "gone" && (
        <p className="text-sm text-warn">
          <Trans>The receiver wants no more notices (410), so the gateway disabled it.</Trans>
        </p>
      )}
      {failing_since !== null && !disabled && (
        <p className="text-bad text-sm">
          <Trans>Every try has failed since</Trans> <Time seconds={Math.floor(failing_since / 1000)} />
        </p>
      )}
      {!reachable && (
        <p className="text-sm text-warn">
          <Trans>Nothing is sent: this server sends no mail, or your account has no mail address.</Trans>
        </p>
      )}
    </ItemText>
  );
}
