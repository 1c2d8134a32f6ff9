import { type ReactNode, useEffect, useRef } from "react";
import type { FieldOf } from "./form-contract.ts";
import { FieldFrame, FieldHelp, type FieldTexts, useField } from "./form-field.tsx";
import { Checkbox, Input, Select } from "./input.tsx";

type CheckboxFieldProps = FieldOf<boolean> & Pick<FieldTexts, "label" | "help">;

export function CheckboxField({ name, label, help }: CheckboxFieldProps) {
  const { id, field, error, aria } = useField<boolean>(name, { help });
  const { value, onChange, ...rest } = field;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="flex items-center gap-2 self-start font-medium">
        <Checkbox
          {...rest}
          {...aria}
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
        {label}
      </label>
      <FieldHelp id={id} help={help} error={error} />
    </div>
  );
}

type SelectChoice = { value: string; label: string };
export type SelectChoiceGroup = { label: string; choices: readonly SelectChoice[] };

type SelectFieldProps = FieldOf<string> &
  FieldTexts & {
    choices?: readonly SelectChoice[];
    groups?: readonly SelectChoiceGroup[];
    disabled?: boolean;
  };

export function SelectField({
  name,
  label,
  help,
  aside,
  required,
  choices = [],
  groups = [],
  disabled,
}: SelectFieldProps) {
  const { id, field, error, aria } = useField<string>(name, { help, required: required === true });
  return (
    <FieldFrame id={id} label={label} help={help} aside={aside} error={error}>
      <Select {...field} {...aria} disabled={disabled}>
        {choices.map(option)}
        {groups.map((group) => (
          <optgroup key={group.label} label={group.label}>
            {group.choices.map(option)}
          </optgroup>
        ))}
      </Select>
    </FieldFrame>
  );
}

function option({ value, label }: SelectChoice): ReactNode {
  return (
    <option key={value} value={value}>
      {label}
    </option>
  );
}

type DateTimeFieldProps = FieldOf<string> & FieldTexts & { disabled?: boolean };

/** The form value of an incomplete time, whose input value is empty in the browser. */
const incompleteInput = "half typed";

/** `DateTimeField` shows seconds, so that an unchanged time is sent back exactly. */
export function DateTimeField({
  name,
  label,
  help,
  aside,
  required,
  disabled,
}: DateTimeFieldProps) {
  const { id, field, error, aria } = useField<string>(name, { help, required: required === true });
  const read = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    const typed = currentTarget.validity.badInput ? incompleteInput : currentTarget.value;
    if (typed !== field.value) field.onChange(typed);
  };
  // A reset to empty must also clear incomplete input.
  const element = useRef<HTMLInputElement | null>(null);
  useEffect(() => {
    if (field.value === "" && element.current?.validity.badInput) element.current.value = "";
  }, [field.value]);
  return (
    <FieldFrame id={id} label={label} help={help} aside={aside} error={error}>
      <Input
        {...field}
        {...aria}
        ref={(input) => {
          element.current = input;
          field.ref(input);
        }}
        value={field.value === incompleteInput ? "" : field.value}
        disabled={disabled}
        type="datetime-local"
        step={1}
        max="9999-12-31T23:59:59"
        onChange={read}
        onKeyUp={read}
        onBlur={(event) => {
          read(event);
          field.onBlur();
        }}
      />
    </FieldFrame>
  );
}
