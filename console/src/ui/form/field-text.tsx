import { useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { Eye, EyeOff } from "lucide-react";
import { type ReactNode, useState } from "react";
import { IconButton } from "../icon-button.tsx";
import type { FieldOf } from "./form-contract.ts";
import { FieldFrame, FieldHelp, type FieldTexts, useField } from "./form-field.tsx";
import { Input, Textarea } from "./input.tsx";

type TextFieldProps = FieldOf<string> &
  FieldTexts & {
    placeholder?: string | undefined;
    disabled?: boolean;
    autoComplete?: string;
    type?: "text" | "email" | "url" | "date";
    mono?: boolean;
    maxLength?: number;
    inputMode?: "numeric" | "decimal";
    autoFocus?: boolean;
  };

export function TextField({
  name,
  label,
  help,
  aside,
  required,
  mono,
  type = "text",
  ...rest
}: TextFieldProps) {
  const { id, field, error, aria } = useField<string>(name, { help, required: required === true });
  return (
    <FieldFrame id={id} label={label} help={help} aside={aside} error={error}>
      <Input
        autoComplete="off"
        {...rest}
        {...field}
        {...aria}
        type={type}
        className={clsx(mono && "font-mono text-sm!")}
      />
    </FieldFrame>
  );
}

type PasswordFieldProps = FieldOf<string> &
  FieldTexts & { placeholder?: string | undefined; autoComplete?: string };

/** A field for passwords and keys, with a button to show the text. */
export function PasswordField({
  name,
  label,
  help,
  aside,
  required,
  autoComplete = "off",
  placeholder,
}: PasswordFieldProps) {
  const { t } = useLingui();
  const { id, field, error, aria } = useField<string>(name, { help, required: required === true });
  const [isShown, setShown] = useState(false);
  return (
    <FieldFrame id={id} label={label} help={help} aside={aside} error={error}>
      <div className="relative">
        <Input
          {...field}
          {...aria}
          type={isShown ? "text" : "password"}
          autoComplete={autoComplete}
          placeholder={placeholder}
          spellCheck={false}
          className="pr-10 font-mono text-sm!"
        />
        <IconButton
          size="sm"
          label={isShown ? t`Hide` : t`Show`}
          icon={isShown ? <EyeOff /> : <Eye />}
          onClick={() => setShown(!isShown)}
          className="absolute top-0.5 right-0.5"
        />
      </div>
    </FieldFrame>
  );
}

type NumberFieldProps = FieldOf<string> &
  FieldTexts & {
    disabled?: boolean;
    placeholder?: string;
    /**
     * A second field of the same value, at the right where there is room; the help is that of both.
     */
    beside?: ReactNode;
  };

/**
 * A text input, parsed by the schema: the browser's number input drops text that it cannot parse.
 */
export function NumberField({
  name,
  label,
  help,
  aside,
  required,
  beside,
  ...rest
}: NumberFieldProps) {
  const { id, field, error, aria } = useField<string>(name, { help, required: required === true });
  const input = (
    <Input
      {...rest}
      {...field}
      {...aria}
      inputMode="decimal"
      autoComplete="off"
      className="tabular-nums"
    />
  );
  if (beside === undefined)
    return (
      <FieldFrame id={id} label={label} help={help} aside={aside} error={error}>
        {input}
      </FieldFrame>
    );
  return (
    <div className="flex flex-col gap-1.5">
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <FieldFrame id={id} label={label} aside={aside} error={undefined}>
          {input}
        </FieldFrame>
        {beside}
      </div>
      <FieldHelp id={id} help={help} error={error} />
    </div>
  );
}

type TextAreaFieldProps = FieldOf<string> & FieldTexts & { rows?: number; placeholder?: string };

export function TextAreaField({ name, label, help, aside, required, ...rest }: TextAreaFieldProps) {
  const { id, field, error, aria } = useField<string>(name, { help, required: required === true });
  return (
    <FieldFrame id={id} label={label} help={help} aside={aside} error={error}>
      <Textarea {...rest} {...field} {...aria} />
    </FieldFrame>
  );
}
