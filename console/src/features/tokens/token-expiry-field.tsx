import { useLingui } from "@lingui/react/macro";
import { Button } from "../../ui/button.tsx";
import { DateTimeField } from "../../ui/field-choice.tsx";
import type { FieldOf } from "../../ui/form-contract.ts";
import { expiryIn, expiryPresets } from "./token-screen-rules.ts";

type ExpiryFieldProps = FieldOf<string> & { onPreset: (value: string) => void };

/** A date and time field with presets relative to now. */
export function ExpiryField({ name, onPreset }: ExpiryFieldProps) {
  const { t } = useLingui();
  const presets = [
    { label: t`Never Expire`, value: () => "" },
    { label: t`1 Month`, value: () => expiryIn(expiryPresets.month, new Date()) },
    { label: t`1 Day`, value: () => expiryIn(expiryPresets.day, new Date()) },
    { label: t`1 Hour`, value: () => expiryIn(expiryPresets.hour, new Date()) },
    { label: t`1 Minute`, value: () => expiryIn(expiryPresets.minute, new Date()) },
    { label: t`7 Days`, value: () => expiryIn(expiryPresets.week, new Date()) },
    { label: t`90 Days`, value: () => expiryIn(expiryPresets.quarter, new Date()) },
    { label: t`1 Year`, value: () => expiryIn(expiryPresets.year, new Date()) },
  ];
  return (
    <div className="flex flex-col gap-2">
      <DateTimeField name={name} label={t`Expiration Time`} help={t`In your time zone. Empty: never.`} />
      <div className="flex flex-wrap gap-1.5">
        {presets.map(({ label, value }) => (
          <Button key={label} size="sm" onClick={() => onPreset(value())}>
            {label}
          </Button>
        ))}
      </div>
    </div>
  );
}
