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
import { useId, useState } from "react";
import { api } from "../../api-queries.ts";
import { languages } from "../../i18n.ts";
import { SelectField } from "../../ui/field-choice.tsx";
import { PasswordField, TextField } from "../../ui/field-text.tsx";
import { useContractForm, useFieldValue } from "../../ui/form-contract.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Checkbox } from "../../ui/input.tsx";
import { destinationKindLabels, leastSeverityLabels, ruleLabels } from "./alert-words.ts";
import {
  type DestinationFormOutput,
  destinationFormSchema,
  fieldsOfKind,
  newDestination,
  targetOf,
  toDestinationForm,
  toggledRule,
} from "./destination-form-values.ts";

type DestinationDialogProps = {
  /** Absent for a new one. Where notices go stays: the address is a secret and is never shown. */
  destination?: NoticeDestination | undefined;
  /** With the signing secret of a new webhook. */
  onSaved?: (secret: string | undefined) => void;
  onClose: () => void;
};

export function DestinationDialog({ destination, onSaved, onClose }: DestinationDialogProps) {
  const { t } = useLingui();
  const id = useId();
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
      {destination === undefined && <TargetFields kind={kind} />}
      <SelectField
        {...form.field("severity")}
        label={t`Is told`}
        choices={severities.map((value) => ({ value, label: t(leastSeverityLabels[value]) }))}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium">
          <Trans>Only these rules (none for all)</Trans>
        </legend>
        {operatorRules.map((rule) => (
          <label key={rule} htmlFor={`${id}-${rule}`} className="flex items-center gap-2">
            <Checkbox
              id={`${id}-${rule}`}
              checked={rules.includes(rule)}
              onChange={() => setRules(toggledRule(rules, rule))}
            />
            {t(ruleLabels[rule])}
          </label>
        ))}
      </fieldset>
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

function TargetFields({ kind }: { kind: DestinationKind }) {
  const { t } = useLingui();
  const asked = fieldsOfKind[kind];
  const addressHelp: Partial<Record<DestinationKind, string>> = {
    mail: t`Empty for the address of the super administrator.`,
    ntfy: t`With the topic at its end, as in https://ntfy.sh/my-topic.`,
  };
  const secretLabels: Partial<Record<DestinationKind, string>> = {
    telegram: t`Token of the bot`,
    ntfy: t`Access token (if the topic needs one)`,
  };
  return (
    <>
      {asked.includes("address") && (
        <TextField
          name="address"
          label={kind === "mail" ? t`Mail address` : t`Address`}
          help={addressHelp[kind] ?? t`The address of the webhook, as the service shows it. It is not shown again.`}
          type={kind === "mail" ? "email" : "url"}
        />
      )}
      {asked.includes("secret") && (
        <PasswordField name="secret" label={secretLabels[kind] ?? t`Signing secret (if the bot has one)`} />
      )}
      {asked.includes("recipient") && (
        <TextField name="recipient" label={t`Chat`} help={t`The id of the chat, or @ and the name of a channel.`} />
      )}
    </>
  );
}
