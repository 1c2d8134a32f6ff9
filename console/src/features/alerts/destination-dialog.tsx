import { Trans, useLingui } from "@lingui/react/macro";
import { operatorRules, severities } from "@tollgate/contract/alert-rule-table.ts";
import {
  createDestination,
  type DestinationKind,
  destinationKinds,
  listDestinations,
  type NoticeDestination,
  updateDestination,
} from "@tollgate/contract/destinations.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { languages } from "../../i18n.ts";
import { SelectField } from "../../ui/field-choice.tsx";
import { TextField } from "../../ui/field-text.tsx";
import { useContractForm, useFieldValue } from "../../ui/form-contract.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { destinationKindLabels, leastSeverityLabels } from "./alert-words.ts";
import {
  type DestinationFormOutput,
  destinationFormSchema,
  newDestination,
  targetOf,
  toDestinationForm,
} from "./destination-form-values.ts";
import { RuleChoice } from "./rule-choice.tsx";
import { TargetFields } from "./target-fields.tsx";

type DestinationDialogProps = {
  /** Absent for a new one. Where notices go stays: the address is a secret and is never shown. */
  destination?: NoticeDestination | undefined;
  /** With the signing secret of a new webhook. */
  onSaved?: (secret: string | undefined) => void;
  onClose: () => void;
};

export function DestinationDialog({ destination, onSaved, onClose }: DestinationDialogProps) {
  const { t } = useLingui();
  const [rules, setRules] = useState(destination?.rules ?? []);
  const form = useContractForm({
    schema: destinationFormSchema(t`Name is required`),
    initial: destination === undefined ? newDestination : toDestinationForm(destination),
    onSubmit: async (values: DestinationFormOutput) => {
      const { kind, name, severity, language } = values;
      const told = { name, severity, language, rules };
      if (destination === undefined) {
        const { data } = await api.call(createDestination, { body: { kind, ...told, ...targetOf(values) } });
        onSaved?.(data.signing_secret);
      } else {
        const { disabled } = destination;
        await api.call(updateDestination, { params: { id: String(destination.id) }, body: { ...told, disabled } });
      }
      await api.refresh(listDestinations);
      onClose();
    },
  });
  const kind = useFieldValue(form, "kind") as DestinationKind;
  return (
    <FormDialog
      form={form}
      title={destination === undefined ? t`New destination` : t`Edit destination`}
      submit={<Trans>Save</Trans>}
      onClose={onClose}
    >
      {destination === undefined && (
        <SelectField
          {...form.field("kind")}
          label={t`Kind`}
          choices={destinationKinds.map((value) => ({ value, label: t(destinationKindLabels[value]) }))}
        />
      )}
      <TextField {...form.field("name")} label={t`Name`} maxLength={50} />
      {destination === undefined && (
        <TargetFields kind={kind} emptyMail={t`Empty for the address of the super administrator.`} />
      )}
      <SelectField
        {...form.field("severity")}
        label={t`Is told`}
        choices={severities.map((value) => ({ value, label: t(leastSeverityLabels[value]) }))}
      />
      <RuleChoice rules={operatorRules} chosen={rules} onChange={setRules} />
      <SelectField
        {...form.field("language")}
        label={t`Language of the notices`}
        choices={[
          { value: "", label: t`That of the super administrator` },
          ...Object.entries(languages).map(([value, label]) => ({ value, label })),
        ]}
      />
    </FormDialog>
  );
}
