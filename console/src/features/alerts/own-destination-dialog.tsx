import { Trans, useLingui } from "@lingui/react/macro";
import { ownRules } from "@tollgate/contract/alert-rule-table.ts";
import {
  createOwnDestination,
  listOwnDestinations,
  type OwnDestination,
  type OwnDestinationKind,
  ownDestinationKinds,
  updateOwnDestination,
} from "@tollgate/contract/own-destinations.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { languages } from "../../i18n.ts";
import { SelectField } from "../../ui/field-choice.tsx";
import { TextField } from "../../ui/field-text.tsx";
import { useContractForm, useFieldValue } from "../../ui/form-contract.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { destinationKindLabels } from "./alert-words.ts";
import {
  type DestinationFormOutput,
  destinationFormSchema,
  newDestination,
  targetOf,
} from "./destination-form-values.ts";
import { RuleChoice } from "./rule-choice.tsx";
import { TargetFields } from "./target-fields.tsx";

type OwnDestinationDialogProps = {
  /** Absent for a new one. Where notices go stays: the address is a secret and is never shown. */
  destination?: OwnDestination | undefined;
  /** With the signing secret of a new webhook. */
  onSaved?: (secret: string | undefined) => void;
  onClose: () => void;
};

export function OwnDestinationDialog({ destination, onSaved, onClose }: OwnDestinationDialogProps) {
  const { t } = useLingui();
  const [rules, setRules] = useState(destination?.rules ?? []);
  const form = useContractForm({
    schema: destinationFormSchema(t`Name is required`),
    initial:
      destination === undefined
        ? newDestination
        : { ...newDestination, kind: destination.kind, name: destination.name, language: destination.language },
    onSubmit: async (values: DestinationFormOutput) => {
      const { name, language } = values;
      const told = { name, language, rules };
      if (destination === undefined) {
        const body = { kind: values.kind as OwnDestinationKind, ...told, ...targetOf(values) };
        onSaved?.((await api.call(createOwnDestination, { body })).data.signing_secret);
      } else {
        const { disabled } = destination;
        await api.call(updateOwnDestination, { params: { id: String(destination.id) }, body: { ...told, disabled } });
      }
      await api.refresh(listOwnDestinations);
      onClose();
    },
  });
  const kind = useFieldValue(form, "kind") as OwnDestinationKind;
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
          choices={ownDestinationKinds.map((value) => ({ value, label: t(destinationKindLabels[value]) }))}
        />
      )}
      <TextField {...form.field("name")} label={t`Name`} maxLength={50} />
      {destination === undefined && (
        <TargetFields kind={kind} emptyMail={t`Empty for the mail address of your account.`} />
      )}
      <RuleChoice rules={ownRules} chosen={rules} onChange={setRules} />
      <SelectField
        {...form.field("language")}
        label={t`Language of the notices`}
        choices={[
          { value: "", label: t`That of your account` },
          ...Object.entries(languages).map(([value, label]) => ({ value, label })),
        ]}
      />
    </FormDialog>
  );
}
