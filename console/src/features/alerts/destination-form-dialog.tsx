import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { AlertRuleName } from "@tollgate/contract/notices/alert-rule-table.ts";
import type { DestinationKind } from "@tollgate/contract/notices/destinations.ts";
import { type ReactNode, useId, useState } from "react";
import { alertRuleLabels } from "../../components/failures/alert-rule-words.ts";
import { languages } from "../../i18n.ts";
import { SelectField } from "../../ui/form/field-choice.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Checkbox } from "../../ui/form/input.tsx";
import { destinationKindLabels } from "./alert-words.ts";
import {
  buildToggledRule,
  type DestinationFormOutput,
  type DestinationFormValues,
  defineDestinationFormSchema,
} from "./destination-form-values.ts";
import { TargetFields } from "./target-fields.tsx";

type DestinationFormDialogProps = {
  /** The address of a destination is asked for once: it is a secret and is never shown. */
  isNew: boolean;
  initial: DestinationFormValues;
  kinds: readonly DestinationKind[];
  rules: readonly AlertRuleName[];
  chosenRules: readonly AlertRuleName[];
  /** `emptyMail` is where mail goes when no address is typed. */
  emptyMail: string;
  /** The language of the notices when none is chosen. */
  ownLanguage: string;
  /** Between the address and the rules. */
  children?: ReactNode;
  onSave: (values: DestinationFormOutput, rules: AlertRuleName[]) => Promise<void>;
  onClose: () => void;
};

/** Asks where notices go, of which rules and in which language. */
export function DestinationFormDialog(props: DestinationFormDialogProps) {
  const {
    isNew,
    initial,
    kinds,
    rules,
    chosenRules,
    emptyMail,
    ownLanguage,
    children,
    onSave,
    onClose,
  } = props;
  const { t } = useLingui();
  const [chosen, setChosen] = useState([...chosenRules]);
  const form = useContractForm({
    schema: defineDestinationFormSchema(t`Name is required`),
    initial,
    onSubmit: async (values: DestinationFormOutput) => {
      await onSave(values, chosen);
      onClose();
    },
  });
  const kind = useFieldValue(form, "kind") as DestinationKind;
  return (
    <FormDialog
      form={form}
      title={isNew ? t`New destination` : t`Edit destination`}
      submit={<Trans>Save</Trans>}
      onClose={onClose}
    >
      {isNew && (
        <SelectField
          {...form.field("kind")}
          label={t`Kind`}
          choices={kinds.map((value) => ({ value, label: t(destinationKindLabels[value]) }))}
        />
      )}
      <TextField {...form.field("name")} label={t`Name`} maxLength={50} />
      {isNew && <TargetFields kind={kind} emptyMail={emptyMail} />}
      {children}
      <RuleChoice rules={rules} chosen={chosen} onChange={setChosen} />
      <SelectField
        {...form.field("language")}
        label={t`Language of the notices`}
        choices={[
          { value: "", label: ownLanguage },
          ...Object.entries(languages).map(([value, label]) => ({ value, label })),
        ]}
      />
    </FormDialog>
  );
}

type RuleChoiceProps = {
  rules: readonly AlertRuleName[];
  chosen: readonly AlertRuleName[];
  onChange: (chosen: AlertRuleName[]) => void;
};

/**
 * `RuleChoice` is about which rules a destination is told: folded where it is told of all, for they
 * are many.
 */
function RuleChoice({ rules, chosen, onChange }: RuleChoiceProps) {
  const { t } = useLingui();
  const id = useId();
  const [isOpen, setOpen] = useState(chosen.length > 0);
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="rounded-md border border-edge px-3"
    >
      <summary className="py-2">
        {chosen.length === 0 ? (
          <Trans>Alerts of all rules</Trans>
        ) : (
          <Plural value={chosen.length} one="Alerts of # rule" other="Alerts of # rules" />
        )}
      </summary>
      <fieldset className="flex flex-col gap-2 pb-3">
        <legend className="mb-1 text-muted text-sm">
          <Trans>Only these rules (choose none for all)</Trans>
        </legend>
        {rules.map((rule) => (
          <label key={rule} htmlFor={`${id}-${rule}`} className="flex items-center gap-2">
            <Checkbox
              id={`${id}-${rule}`}
              checked={chosen.includes(rule)}
              onChange={() => onChange(buildToggledRule(chosen, rule))}
            />
            {t(alertRuleLabels[rule])}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
