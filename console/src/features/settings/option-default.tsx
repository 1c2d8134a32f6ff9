import { Trans, useLingui } from "@lingui/react/macro";
import { useFormContext, useWatch } from "react-hook-form";
import { buildValues, type OptionField } from "../../components/settings/option-sections.ts";
import { buildQuotaStyle, useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { formatQuota } from "../../ui/format.ts";

type OptionDefaultProps = {
  field: OptionField;
  /** Undefined where the server does not name it. */
  value: string | undefined;
};

/**
 * `OptionDefault` says below a field what it is without a change, and takes it back there. What
 * differs has a dot. A secret has no default, and a fixed setting cannot be changed.
 */
export function OptionDefault({ field, value }: OptionDefaultProps) {
  if (value === undefined || field.kind === "secret" || field.kind === "fixed") return null;
  return <ShownDefault field={field} value={value} />;
}

function ShownDefault({ field, value }: { field: OptionField; value: string }) {
  const { t } = useLingui();
  const { key } = field;
  const { setValue, setFocus } = useFormContext();
  const typed: unknown = useWatch({ name: key });
  const initial = buildValues([field], new Map([[key, value]]))[key];
  const isChanged = typed !== initial;
  const label = t(field.label);
  const shown = useDefaultText(field, value);
  // An empty field says by itself that it is empty.
  if (!isChanged && hasNothing(value)) return null;
  return (
    <p className="mt-1 flex min-h-6 flex-wrap items-center gap-x-2 text-muted text-xs">
      {isChanged && (
        <span className="inline-flex items-center gap-1.5 font-medium text-accent">
          <span aria-hidden="true" className="size-1.5 rounded-full bg-accent" />
          <Trans>Changed</Trans>
        </span>
      )}
      <span className="[overflow-wrap:anywhere]">
        <Trans>Default: {shown}</Trans>
      </span>
      {isChanged && (
        <Button
          variant="ghost"
          size="sm"
          className="-my-1"
          onClick={() => {
            setValue(key, initial, { shouldDirty: true, shouldValidate: true });
            // The button goes away, and the focus would go with it.
            setFocus(key);
          }}
        >
          <span aria-hidden="true">
            <Trans>Back to default</Trans>
          </span>
          <span className="sr-only">{t`Back to default: ${label}`}</span>
        </Button>
      )}
    </p>
  );
}

const hasNothing = (value: string): boolean => value === "" || value === "[]" || value === "{}";

/** Longer defaults are templates of JSON, too long for one line. */
const shownMax = 80;

function useDefaultText({ kind, choices }: OptionField, value: string): string {
  const { t } = useLingui();
  const style = buildQuotaStyle(useSession().status);
  const choice = choices?.find((one) => one.value === value);
  if (choice !== undefined) return t(choice.label);
  if (kind === "flag") return value === "true" ? t`on` : t`off`;
  if (kind === "quota") return formatQuota(Number(value), style);
  if (hasNothing(value)) return t`empty`;
  return value.length > shownMax ? `${value.slice(0, shownMax)}…` : value;
}
