import { useLingui } from "@lingui/react/macro";
import { ownRules } from "@tollgate/contract/notices/alert-rule-table.ts";
import {
  createOwnDestination,
  listOwnDestinations,
  type OwnDestination,
  type OwnDestinationKind,
  ownDestinationKinds,
  updateOwnDestination,
} from "@tollgate/contract/notices/own-destinations.ts";
import { api } from "../../api-queries.ts";
import { DestinationFormDialog } from "./destination-form-dialog.tsx";
import { buildTarget, newDestination } from "./destination-form-values.ts";

type OwnDestinationDialogProps = {
  /** Absent for a new one. */
  destination?: OwnDestination | undefined;
  /** `onSaved` takes the signing secret of a new webhook. */
  onSaved?: (secret: string | undefined) => void;
  onClose: () => void;
};

export function OwnDestinationDialog({ destination, onSaved, onClose }: OwnDestinationDialogProps) {
  const { t } = useLingui();
  const { kind, name, language } = destination ?? newDestination;
  return (
    <DestinationFormDialog
      isNew={destination === undefined}
      initial={{ ...newDestination, kind, name, language }}
      kinds={ownDestinationKinds}
      rules={ownRules}
      chosenRules={destination?.rules ?? []}
      emptyMail={t`Leave empty to use your account's mail address.`}
      ownLanguage={t`Your account's language`}
      onSave={async (values, rules) => {
        const told = { name: values.name, language: values.language, rules: rules as [] };
        if (destination === undefined) {
          const body = { kind: values.kind as OwnDestinationKind, ...told, ...buildTarget(values) };
          onSaved?.(
            (await api.change(createOwnDestination, [listOwnDestinations], { body })).data
              .signing_secret,
          );
        } else {
          const { disabled } = destination;
          await api.change(updateOwnDestination, [listOwnDestinations], {
            params: { id: String(destination.id) },
            body: { ...told, disabled },
          });
        }
      }}
      onClose={onClose}
    />
  );
}
