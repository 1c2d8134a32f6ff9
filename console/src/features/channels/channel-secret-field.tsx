import clsx from "clsx";
import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import type { FieldOf } from "../../ui/form/form-contract.ts";
import { FieldFrame, type FieldTexts, useField } from "../../ui/form/form-field.tsx";
import { Textarea } from "../../ui/form/input.tsx";
import { IconButton } from "../../ui/icon-button.tsx";

type ChannelSecretFieldProps = FieldOf<string> &
  Pick<FieldTexts, "label" | "help" | "required"> & {
    placeholder?: string;
    /** Labels of the button in the field. */
    showLabel: string;
    hideLabel: string;
  };

const rowsMax = 6;

/** A write-only secret of several lines: a text area that hides its content. */
export function ChannelSecretField({
  name,
  label,
  help,
  required,
  placeholder,
  showLabel,
  hideLabel,
}: ChannelSecretFieldProps) {
  const [isShown, setShown] = useState(false);
  const { id, field, error, aria } = useField<string>(name, { help, required: required === true });
  return (
    <FieldFrame id={id} label={label} help={help} error={error}>
      <div className="relative">
        <Textarea
          {...field}
          {...aria}
          rows={Math.min(rowsMax, field.value.split("\n").length)}
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder}
          className={clsx(
            "min-h-9 resize-none pr-10 font-mono text-sm!",
            !isShown && field.value !== "" && "[-webkit-text-security:disc]",
          )}
        />
        <IconButton
          size="sm"
          label={isShown ? hideLabel : showLabel}
          icon={isShown ? <EyeOff /> : <Eye />}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
          className="absolute top-0.5 right-0.5"
        />
      </div>
    </FieldFrame>
  );
}
