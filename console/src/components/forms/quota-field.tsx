import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useId, useState } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { buildQuotaStyle, useSession } from "../../session.ts";
import { NumberField } from "../../ui/form/field-text.tsx";
import type { FieldOf } from "../../ui/form/form-contract.ts";
import { FieldFrame, useField } from "../../ui/form/form-field.tsx";
import { Input } from "../../ui/form/input.tsx";
import { formatQuota } from "../../ui/format.ts";
import { findUnits, formatDollars } from "./dollars-text.ts";

type QuotaFieldProps = FieldOf<string> & {
  label: ReactNode;
  /** Shown before the quota's worth. */
  note?: ReactNode;
  /** Shown behind it. */
  end?: ReactNode;
  disabled?: boolean;
};

/**
 * A quota in units, which is what is sent. Where the server shows currency, a second input takes
 * dollars.
 */
export function QuotaField({ name, label, note, end, disabled = false }: QuotaFieldProps) {
  const { status } = useSession();
  const typed = String(useWatch({ name }) ?? "");
  const worth = <QuotaWorth typed={typed} />;
  const words =
    note === undefined ? (
      worth
    ) : (
      <Trans>
        {note} {worth}
      </Trans>
    );
  const help = (
    <>
      {words} {end}
    </>
  );
  if (!buildQuotaStyle(status).inCurrency)
    return <NumberField name={name} label={label} disabled={disabled} help={help} />;
  return (
    <NumberField
      name={name}
      label={label}
      disabled={disabled}
      help={help}
      beside={<DollarsInput name={name} units={typed} disabled={disabled} />}
    />
  );
}

/**
 * `DollarField` asks for quota in dollars alone, on forms that no specification states; in units
 * where the server shows no currency. Units are what is sent.
 */
export function DollarField({ name, label, note, disabled = false }: QuotaFieldProps) {
  const inUnits = !buildQuotaStyle(useSession().status).inCurrency;
  if (inUnits) return <QuotaField name={name} label={label} note={note} disabled={disabled} />;
  return <SingleDollarField name={name} label={label} note={note} disabled={disabled} />;
}

function SingleDollarField({ name, label, note, disabled = false }: QuotaFieldProps) {
  const { t } = useLingui();
  const help = note === undefined ? t`In US dollars` : <Trans>In US dollars. {note}</Trans>;
  const { id, field, error, aria } = useField<string>(name, { help, required: false });
  const { shown, isWrong, change } = useDollars(name, String(field.value ?? ""));
  return (
    <FieldFrame
      id={id}
      label={label}
      help={help}
      error={isWrong ? t`Enter an amount such as 12.50` : error}
    >
      <Input
        {...aria}
        {...(isWrong && { "aria-invalid": true, "aria-describedby": `${id}-error` })}
        ref={field.ref}
        name={name}
        value={shown}
        disabled={disabled}
        inputMode="decimal"
        autoComplete="off"
        className="tabular-nums"
        onBlur={field.onBlur}
        // The form refuses a text that is no amount, like any other wrong value.
        onChange={({ target }) => change(target.value, target.value)}
      />
    </FieldFrame>
  );
}

/** `useDollars` writes units as dollars while they are typed, and back. */
function useDollars(name: string, units: string) {
  const { status } = useSession();
  const { perUnit } = buildQuotaStyle(status);
  const { setValue, formState } = useFormContext();
  /** `typed` is the text that was typed here, as long as the units are those that it set. */
  const [typed, setTyped] = useState({ text: "", units: "" });
  const isOwn = typed.text !== "" && typed.units === units;
  const shown = isOwn ? typed.text : formatDollars(units, perUnit);
  return {
    shown,
    isWrong: isOwn && findUnits(shown, perUnit) === undefined,
    /** `other` is the value of the form where the text is no amount. */
    change: (text: string, other: string | undefined) => {
      const next = text.trim() === "" ? "" : (findUnits(text, perUnit) ?? other);
      setTyped({ text, units: next ?? units });
      if (next === undefined) return;
      setValue(name, next, {
        shouldDirty: true,
        shouldTouch: true,
        shouldValidate: formState.isSubmitted,
      });
    },
  };
}

/** Follows the units, and sets them: no value of the form, so that nothing else is sent. */
function DollarsInput({
  name,
  units,
  disabled,
}: {
  name: string;
  units: string;
  disabled: boolean;
}) {
  const { t } = useLingui();
  const id = useId();
  const { shown, isWrong, change } = useDollars(name, units);
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={id} className="font-medium">
        <Trans>In US dollars</Trans>
      </label>
      <Input
        id={id}
        name="us_dollars"
        value={shown}
        disabled={disabled}
        inputMode="decimal"
        autoComplete="off"
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? `${id}-error` : undefined}
        className="tabular-nums"
        onChange={({ target }) => change(target.value, undefined)}
      />
      {isWrong && (
        <p id={`${id}-error`} className="text-bad text-sm">{t`Enter an amount such as 12.50`}</p>
      )}
    </div>
  );
}

function QuotaWorth({ typed }: { typed: string }) {
  const { status } = useSession();
  const units = typed.trim() === "" ? Number.NaN : Number(typed);
  if (!Number.isFinite(units)) return <Trans>In quota units</Trans>;
  const worth = formatQuota(units, { ...buildQuotaStyle(status), inCurrency: true });
  return (
    <span className="tabular-nums">
      <Trans>In quota units, worth {worth}</Trans>
    </span>
  );
}
