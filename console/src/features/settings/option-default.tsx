import { Trans, useLingui } from "@lingui/react/macro";
import { useFormContext, useWatch } from "react-hook-form";
import { buildValues, type OptionField } from "../../components/settings/option-sections.ts";
import { buildQuotaStyle, useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { formatQuota } from "../../ui/format.ts";

export type FieldDefault = {
  field: OptionField;
  /** `value` is what the field is without a change. */
  value: string;
};

/**
 * `findDefault` is undefined where the server does not name one. A secret has no default, and a
 * fixed setting cannot be changed.
 */
export const findDefault = (
  field: OptionField,
  value: string | undefined,
): FieldDefault | undefined =>
  value === undefined || field.kind === "secret" || field.kind === "fixed"
    ? undefined
    : { field, value };

function useInitial({ field, value }: FieldDefault) {
  const typed: unknown = useWatch({ name: field.key });
  const initial = buildValues([field], new Map([[field.key, value]]))[field.key];
  return { initial, isChanged: typed !== initial };
}

/** `DefaultNote` ends the help of a field that is as it was. */
export function DefaultNote(shown: FieldDefault) {
  const { isChanged } = useInitial(shown);
  // An empty field says by itself that it is empty.
  return isChanged || hasNothing(shown.value) ? null : <DefaultText {...shown} />;
}

function DefaultText({ field, value }: FieldDefault) {
  const shown = useDefaultText(field, value);
  return (
    <span className="[overflow-wrap:anywhere]">
      <Trans>Default: {shown}</Trans>
    </span>
  );
}

/** `ChangedFromDefault` marks below a field that it differs from its default, and takes it back. */
export function ChangedFromDefault(shown: FieldDefault) {
  const { t } = useLingui();
  const { key } = shown.field;
  const { setValue, setFocus } = useFormContext();
  const { initial, isChanged } = useInitial(shown);
  const label = t(shown.field.label);
  if (!isChanged) return null;
  return (
    <p className="mt-1 flex min-h-6 flex-wrap items-center gap-x-2 text-muted text-xs">
      <span className="inline-flex items-center gap-1.5 font-medium text-accent">
        <span aria-hidden="true" className="size-1.5 rounded-full bg-accent" />
        <Trans>Changed</Trans>
      </span>
      <DefaultText {...shown} />
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
