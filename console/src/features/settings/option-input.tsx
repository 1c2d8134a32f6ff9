import { useLingui } from "@lingui/react/macro";
import { QuotaField } from "../../components/forms/quota-field.tsx";
import type { OptionField } from "../../components/settings/option-sections.ts";
import { CheckboxField, SelectField } from "../../ui/form/field-choice.tsx";
import { NumberField, TextAreaField, TextField } from "../../ui/form/field-text.tsx";
import { JsonField } from "../../ui/form/json-editor.tsx";
import { AlertRulesInput } from "./alert-rules-input.tsx";
import { DefaultNote, type FieldDefault } from "./option-default.tsx";
import { RichTextInput } from "./rich-text-input.tsx";
import { SecretInput } from "./secret-input.tsx";

type OptionInputProps = {
  field: OptionField;
  isSet: boolean;
  /** Undefined where the field has none. */
  initial: FieldDefault | undefined;
};

/** The control for the kind of an option, whose help ends with its default. */
export function OptionInput({ field, isSet, initial }: OptionInputProps) {
  const { t } = useLingui();
  const { key } = field;
  const label = t(field.label);
  const words = field.help && t(field.help);
  const end = initial !== undefined && <DefaultNote {...initial} />;
  const help =
    words === undefined && initial === undefined ? undefined : (
      <>
        {words} {end}
      </>
    );
  const common = { name: key, label, help };
  switch (field.kind) {
    case "flag":
      return <CheckboxField {...common} />;
    case "number":
      return <NumberField {...common} />;
    case "choice":
      return (
        <SelectField
          {...common}
          choices={(field.choices ?? []).map(({ value, label: words }) => ({
            value,
            label: t(words),
          }))}
        />
      );
    case "quota":
      return <QuotaField name={key} label={label} note={words} end={end} />;
    case "fixed":
      return <NumberField {...common} disabled />;
    case "text":
      return <RichTextInput {...common} />;
    case "json":
      return <JsonField {...common} />;
    case "alert-rules":
      return <AlertRulesInput name={key} />;
    case "secret":
      return <SecretInput {...common} isSet={isSet} />;
    case "names":
      return <TextAreaField {...common} rows={2} />;
    default:
      return <TextField {...common} />;
  }
}
