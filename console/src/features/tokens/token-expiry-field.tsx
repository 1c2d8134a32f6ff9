import { useLingui } from "@lingui/react/macro";
import { Button } from "../../ui/button.tsx";
import { DateTimeField } from "../../ui/form/field-choice.tsx";
import type { FieldOf } from "../../ui/form/form-contract.ts";
import { expiryPresets, readExpiry } from "./token-screen-rules.ts";

type ExpiryFieldProps = FieldOf<string> & { onPreset: (value: string) => void };

/** A date and time field with presets relative to now. */
export function ExpiryField({ name, onPreset }: ExpiryFieldProps) {
  const { t } = useLingui();
  const presets = [
    { label: t`Never Expire`, value: () => "" },
    { label: t`1 Month`, value: () => readExpiry(expiryPresets.month, new Date()) },
    { label: t`1 Day`, value: () => readExpiry(expiryPresets.day, new Date()) },
    { label: t`1 Hour`, value: () => readExpiry(expiryPresets.hour, new Date()) },
    { label: t`1 Minute`, value: () => readExpiry(expiryPresets.minute, new Date()) },
    { label: t`7 Days`, value: () => readExpiry(expiryPresets.week, new Date()) },
    { label: t`90 Days`, value: () => readExpiry(expiryPresets.quarter, new Date()) },
    { label: t`1 Year`, value: () => readExpiry(expiryPresets.year, new Date()) },
  ];
  return (
    <div className="flex flex-col gap-2">
      <DateTimeField
        name={name}
        label={t`Expiration Time`}
        help={t`In your time zone. Empty: never.`}
      />
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
