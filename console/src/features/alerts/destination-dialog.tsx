import { useLingui } from "@lingui/react/macro";
import { operatorRules, severities } from "@tollgate/contract/notices/alert-rule-table.ts";
import {
  createDestination,
  destinationKinds,
  listDestinations,
  type NoticeDestination,
  updateDestination,
} from "@tollgate/contract/notices/destinations.ts";
import { api } from "../../api-queries.ts";
import { SelectField } from "../../ui/form/field-choice.tsx";
import { leastSeverityLabels } from "./alert-words.ts";
import { DestinationFormDialog } from "./destination-form-dialog.tsx";
import { buildDestinationForm, buildTarget, newDestination } from "./destination-form-values.ts";

type DestinationDialogProps = {
  /** Absent for a new one. */
  destination?: NoticeDestination | undefined;
  /** `onSaved` takes the signing secret of a new webhook. */
  onSaved?: (secret: string | undefined) => void;
  onClose: () => void;
};

export function DestinationDialog({ destination, onSaved, onClose }: DestinationDialogProps) {
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
