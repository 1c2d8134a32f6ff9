import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { useWatch } from "react-hook-form";
import { quotaStyle, useSession } from "../session.ts";
import { NumberField } from "../ui/field-text.tsx";
import type { FieldOf } from "../ui/form-contract.ts";
import { formatQuota } from "../ui/format.ts";

type QuotaFieldProps = FieldOf<string> & {
  label: ReactNode;
  /** Shown before the quota's worth. */
  note?: ReactNode;
  disabled?: boolean;
};

/** A quota in units, with its worth in currency below. */
export function QuotaField({ name, label, note, disabled = false }: QuotaFieldProps) {
  const typed: unknown = useWatch({ name });
  const help = (
    <>
      {note} <QuotaWorth typed={String(typed ?? "")} />
    </>
  );
  return <NumberField name={name} label={label} disabled={disabled} help={help} />;
}

function QuotaWorth({ typed }: { typed: string }) {
  const { status } = useSession();
  const units = typed.trim() === "" ? Number.NaN : Number(typed);
  if (!Number.isFinite(units)) return <Trans>In quota units</Trans>;
  const worth = formatQuota(units, { ...quotaStyle(status), inCurrency: true });
  return (
    <span className="tabular-nums">
      <Trans>In quota units, worth {worth}</Trans>
    </span>
  );
}
