import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import {
  deleteDestination,
  listDestinations,
  type NoticeDestination,
  rotateDestination,
  testDestination,
  updateDestination,
} from "@tollgate/contract/destinations.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { alertRuleLabels } from "../../components/alert-rule-words.ts";
import { CardLoading } from "../../components/form-loading.tsx";
import { ItemActions, ItemRow, ItemText, ItemTitle } from "../../components/item-row.tsx";
import { ShownOnce } from "../../components/shown-once.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Time } from "../../ui/time.tsx";
import { destinationKindLabels, leastSeverityLabels } from "./alert-words.ts";
import { AlertsFrame } from "./alerts-frame.tsx";
import { DestinationDialog } from "./destination-dialog.tsx";
import { TestOutcome } from "./test-outcome.tsx";

/** Where notices of alerts go. */
export function DestinationsPage() {
  const { t } = useLingui();
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <AlertsFrame
      needsRoot
      action={
        <Button variant="primary" onClick={() => setMaking(true)}>
          <Trans>New destination</Trans>
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        {secret !== undefined && <ShownOnce secret={secret} copyLabel={t`Copy signing secret`} />}
        <DestinationList onSecret={setSecret} />
      </div>
      {isMaking && <DestinationDialog onSaved={setSecret} onClose={() => setMaking(false)} />}
    </AlertsFrame>
  );
}

function DestinationList({ onSecret }: { onSecret: (secret: string) => void }) {
  const destinations = useQuery(api.query(listDestinations));
  const rows = destinations.data?.data ?? [];
  return (
    <Card>
      {destinations.data === undefined || destinations.error !== null ? (
        <CardLoading source={destinations} />
      ) : rows.length === 0 ? (
        <p className="text-muted">
          <Trans>There is no destination: alerts are shown here and sent nowhere.</Trans>
        </p>
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {rows.map((row) => (
            <DestinationItem key={row.uuid} destination={row} onSecret={onSecret} />
          ))}
        </ul>
      )}
    </Card>
  );
}

type DestinationItemProps = { destination: NoticeDestination; onSecret: (secret: string) => void };

function DestinationItem({ destination, onSecret }: DestinationItemProps) {
  const { t } = useLingui();
  const [open, setOpen] = useState<"edit" | "delete" | "rotate">();
  const tryOut = useMutation(api.mutation(testDestination));
  const change = useMutation(api.mutation(updateDestination, { refreshes: [listDestinations] }));
  const { id, name, kind, severity, rules, language, disabled } = destination;
  const params = { id: String(id) };
  const close = () => setOpen(undefined);
  const toggle = () =>
    change.mutate(
      { params, body: { name, severity, rules, language: language as "", disabled: !disabled } },
      { onError: toastError },
    );
  return (
    <ItemRow>
      <DestinationFacts destination={destination} />
      <ItemActions>
        <Button
          size="sm"
          busy={tryOut.isPending}
          aria-label={t`Test ${name}`}
          onClick={() => tryOut.mutate({ params }, { onError: toastError })}
        >
          <Trans>Test</Trans>
        </Button>
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
      {open === "edit" && <DestinationDialog destination={destination} onClose={close} />}
      <Confirm
        open={open === "rotate"}
        onClose={close}
        title={t`New secret of ${name}`}
        question={<Trans>The old secret signs beside the new one for 24 hours, and then no more.</Trans>}
        confirmLabel={<Trans>New secret</Trans>}
        variant="primary"
        onConfirm={async () => onSecret((await api.call(rotateDestination, { params })).data.signing_secret)}
      />
      <Confirm
        open={open === "delete"}
        onClose={close}
        title={t`Delete ${name}`}
        question={<Trans>No notice goes there any more, and what was sent there is forgotten.</Trans>}
        confirmLabel={<Trans>Delete</Trans>}
        onConfirm={async () => {
          await api.call(deleteDestination, { params });
          await api.refresh(listDestinations);
        }}
      />
    </ItemRow>
  );
}

function DestinationFacts({ destination }: { destination: NoticeDestination }) {
  const { t } = useLingui();
  const { name, kind, hint, severity, rules, disabled, disabled_reason, failing_since, reachable } = destination;
  const told = rules.map((rule) => t(alertRuleLabels[rule] ?? { id: rule }));
  return (
    <ItemText>
      <ItemTitle>
        <span className="font-medium [overflow-wrap:anywhere]">{name}</span>
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
        {t(destinationKindLabels[kind] ?? { id: kind })}
        {hint !== "" && ` · ${hint}`} · {t(leastSeverityLabels[severity] ?? { id: severity })}
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
          <Trans>Nothing is sent: no mail server is set up, or the super administrator has no mail address.</Trans>
        </p>
      )}
    </ItemText>
  );
}
