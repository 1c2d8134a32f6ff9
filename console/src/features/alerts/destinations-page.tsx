import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { operatorRules, severities } from "@tollgate/contract/notices/alert-rule-table.ts";
import {
  createDestination,
  deleteDestination,
  destinationKinds,
  listDestinations,
  type NoticeDestination,
  rotateDestination,
  testDestination,
  updateDestination,
} from "@tollgate/contract/notices/destinations.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { ShownOnce } from "../../components/keys/shown-once.tsx";
import { ItemList } from "../../components/lists/item-row.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { SelectField } from "../../ui/form/field-choice.tsx";
import { leastSeverityLabels } from "./alert-words.ts";
import { AlertsFrame } from "./alerts-frame.tsx";
import { DestinationFormDialog } from "./destination-form-dialog.tsx";
import { buildDestinationForm, buildTarget, newDestination } from "./destination-form-values.ts";
import { DestinationItem } from "./destination-item.tsx";

/** `DestinationsPage` says where notices of alerts go. */
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
      <ItemList
        source={destinations}
        rows={rows}
        empty={<Trans>No destinations yet. Alerts appear here and are not sent anywhere.</Trans>}
      >
        {(row) => <OperatorDestination key={row.uuid} destination={row} onSecret={onSecret} />}
      </ItemList>
    </Card>
  );
}

type OperatorDestinationProps = {
  destination: NoticeDestination;
  onSecret: (secret: string) => void;
};

function OperatorDestination({ destination, onSecret }: OperatorDestinationProps) {
  const { t } = useLingui();
  const { id, name, hint, severity, rules, language } = destination;
  const params = { id: String(id) };
  const told = t(leastSeverityLabels[severity] ?? { id: severity });
  return (
    <DestinationItem
      destination={destination}
      about={hint === "" ? told : `${hint} · ${told}`}
      unreachable={
        <Trans>
          Nothing is sent: no mail server is set up, or the super administrator has no mail address.
        </Trans>
      }
      onTest={async () => (await api.call(testDestination, { params })).data}
      onToggle={async (isEnabled) => {
        const body = { name, severity, rules, language: language as "", disabled: !isEnabled };
        await api.change(updateDestination, [listDestinations], { params, body });
      }}
      onRotate={async () =>
        onSecret((await api.call(rotateDestination, { params })).data.signing_secret)
      }
      onDelete={() => api.change(deleteDestination, [listDestinations], { params })}
      editor={(close) => <DestinationDialog destination={destination} onClose={close} />}
    />
  );
}

type DestinationDialogProps = {
  /** Absent for a new one. */
  destination?: NoticeDestination | undefined;
  /** `onSaved` takes the signing secret of a new webhook. */
  onSaved?: (secret: string | undefined) => void;
  onClose: () => void;
};

function DestinationDialog({ destination, onSaved, onClose }: DestinationDialogProps) {
  const { t } = useLingui();
  return (
    <DestinationFormDialog
      isNew={destination === undefined}
      initial={destination === undefined ? newDestination : buildDestinationForm(destination)}
      kinds={destinationKinds}
      rules={operatorRules}
      chosenRules={destination?.rules ?? []}
      emptyMail={t`Leave empty to use the super administrator's address.`}
      ownLanguage={t`The super administrator's language`}
      onSave={async (values, rules) => {
        const { kind, name, severity, language } = values;
        const told = { name, severity, language, rules };
        if (destination === undefined) {
          const { data } = await api.change(createDestination, [listDestinations], {
            body: { kind, ...told, ...buildTarget(values) },
          });
          onSaved?.(data.signing_secret);
        } else {
          const { disabled } = destination;
          await api.change(updateDestination, [listDestinations], {
            params: { id: String(destination.id) },
            body: { ...told, disabled },
          });
        }
      }}
      onClose={onClose}
    >
      <SelectField
        name="severity"
        label={t`Receives`}
        choices={severities.map((value) => ({ value, label: t(leastSeverityLabels[value]) }))}
      />
    </DestinationFormDialog>
  );
}
