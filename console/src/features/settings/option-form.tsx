import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { findAlertRulesIssue } from "@tollgate/contract/notices/alert-rule-settings.ts";
import clsx from "clsx";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { FormProvider, type UseFormReturn, useWatch } from "react-hook-form";
import * as z from "zod/mini";
import { ApiError } from "../../api-error.ts";
import {
  buildValues,
  listChanges,
  type OptionField,
  type OptionSection,
  type OptionValues,
} from "../../components/settings/option-sections.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { FormGuard } from "../../ui/form/form-guard.tsx";
import { toast } from "../../ui/toast.tsx";
import { ChangedFromDefault, findDefault } from "./option-default.tsx";
import { OptionInput } from "./option-input.tsx";
import { type StoredOptions, saveOptions } from "./use-options.ts";

/** Controls that are no wider than half a card: two of them stand side by side. */
const halfWide: ReadonlySet<OptionField["kind"]> = new Set([
  "flag",
  "number",
  "line",
  "choice",
  "fixed",
]);

type OptionFormProps = {
  /** `sections` hold only the fields that the server has. */
  sections: readonly OptionSection[];
  stored: StoredOptions;
};

/**
 * `OptionForm` gives the settings of one tab, saved together: one call for each changed option, the
 * next one also when the server refused the one before. What was refused stays changed, with its
 * reason; the rest is saved.
 */
export function OptionForm({ sections, stored }: OptionFormProps) {
  const { t } = useLingui();
  const fields = sections.flatMap((section) => section.fields);
  const [secretSaves, setSecretSaves] = useState(0);
  const saved = useRef(buildValues(fields, stored.values));
  const form = useContractForm({
    schema: defineSchema(fields, {
      number: t`Enter a number that is not negative`,
      rules: t`Correct the limits of the alert rules`,
    }),
    initial: saved.current,
    onSubmit: async (values: OptionValues) => {
      const changes = listChanges(fields, values, saved.current);
      const refusals = await saveOptions(changes, ({ key }) => {
        const isSecret = fields.some((field) => field.key === key && field.kind === "secret");
        keep(key, isSecret ? "" : (values[key] ?? ""));
        if (!isSecret) return;
        form.methods.setValue(key, "");
        setSecretSaves((before) => before + 1);
      });
      if (refusals.length > 0) throw joinRefusals(refusals, changes.length);
      toast(changes.length === 0 ? t`Nothing was changed` : t`Settings saved`, {
        tone: changes.length === 0 ? "info" : "good",
      });
    },
  });
  const keep = (key: string, value: string | boolean) => {
    saved.current = { ...saved.current, [key]: value };
  };
  const joinRefusals = (refusals: readonly ApiError[], asked: number): ApiError => {
    const [first] = refusals;
    const done = asked - refusals.length;
    const message =
      refusals.length === 1 && done === 0 && first
        ? first.message
        : t`${done} of ${asked} changes are saved. The others show what is wrong.`;
    const fieldErrors = Object.assign({}, ...refusals.map((refusal) => refusal.fields));
    return new ApiError(message, {
      status: first?.status ?? 0,
      code: first?.code,
      fields: fieldErrors,
    });
  };
  useEffect(() => {
    // A value that was shown while the list was read again may be older: a field that the user left
    // as it was takes the stored one.
    const read = buildValues(fields, stored.values);
    for (const { key } of fields) {
      if (read[key] === saved.current[key] || form.methods.getValues(key) !== saved.current[key])
        continue;
      keep(key, read[key] ?? "");
      form.methods.resetField(key, { defaultValue: read[key] ?? "" });
    }
  });
  const countChanges = () => listChanges(fields, form.methods.getValues(), saved.current).length;
  return (
    <FormProvider {...(form.methods as unknown as UseFormReturn)}>
      <form
        noValidate
        onSubmit={form.submit}
        className="flex flex-col gap-4 [&_:is(input,textarea,select,button)]:scroll-mt-34 lg:[&_:is(input,textarea,select,button)]:scroll-mt-24 [&_:is(input,textarea,select,button)]:scroll-mb-28 has-[[data-tall]]:[&_:is(input,textarea,select,button)]:scroll-mb-60"
      >
        {sections.map((section) => (
          <section
            key={section.id}
            id={nameSection(section.id)}
            tabIndex={-1}
            className="scroll-mt-32 outline-none lg:scroll-mt-20"
          >
            <Card title={t(section.title)} note={section.note && t(section.note)}>
              <div className="grid gap-x-6 gap-y-5 md:grid-cols-2">
                {section.fields.map((field) => {
                  const initial = findDefault(field, stored.defaults.get(field.key));
                  // The new key remounts the field of a replaced secret, which closes it. Another
                  // save leaves an open question open.
                  return (
                    <div
                      key={field.kind === "secret" ? `${field.key} ${secretSaves}` : field.key}
                      id={`option-${field.key}`}
                      className={clsx("scroll-mt-24", !halfWide.has(field.kind) && "md:col-span-2")}
                    >
                      <OptionInput
                        field={field}
                        isSet={stored.secretsSet.has(field.key)}
                        initial={initial}
                      />
                      {initial !== undefined && <ChangedFromDefault {...initial} />}
                    </div>
                  );
                })}
              </div>
            </Card>
          </section>
        ))}
        <SaveBar
          fields={fields}
          saved={() => saved.current}
          isBusy={form.isBusy}
          refusal={
            form.refusal && (
              <Alert title={form.refusal.message} requestId={form.refusal.requestId} />
            )
          }
          onDiscard={() => form.methods.reset(saved.current)}
        />
      </form>
      <FormGuard losesChanges={() => countChanges() > 0} />
    </FormProvider>
  );
}

export const nameSection = (id: string): string => `settings-${id}`;

type SaveBarProps = {
  fields: readonly OptionField[];
  /** `saved` gives the stored values, as far as this page knows. */
  saved: () => OptionValues;
  isBusy: boolean;
  refusal: ReactNode;
  onDiscard: () => void;
};

/**
 * Stays in sight: how much is changed, whom that lets in or keeps out, and the one Save. It alone
 * is drawn again while someone types.
 */
function SaveBar({ fields, saved, isBusy, refusal, onDiscard }: SaveBarProps) {
  const { t } = useLingui();
  const save = useRef<HTMLButtonElement>(null);
  const values = useWatch() as OptionValues;
  const stored = saved();
  const count = listChanges(fields, values, stored).length;
  const warnings = fields.flatMap(({ key, warning }) =>
    values[key] === stored[key] ? [] : (warning?.(values[key] ?? "") ?? []),
  );
  return (
    <div
      data-tall={warnings.length > 0 || (count > 0 && Boolean(refusal)) ? "" : undefined}
      className="sticky bottom-0 z-20 -mb-2 flex flex-col gap-3 rounded-t-lg border border-line bg-card p-3 shadow-lg"
    >
      {warnings.map((warning) => (
        <Alert key={warning.id} tone="warn" title={t(warning)} />
      ))}
      {count > 0 && refusal}
      <div className="flex flex-wrap items-center gap-2">
        <p role="status" className="grow text-muted text-sm">
          {count === 0 ? (
            <Trans>No changes</Trans>
          ) : (
            <Plural value={count} one="1 change" other="# changes" />
          )}
        </p>
        {count > 0 && !isBusy && (
          <Button
            variant="ghost"
            onClick={() => {
              onDiscard();
              save.current?.focus();
            }}
          >
            <Trans>Discard</Trans>
          </Button>
        )}
        <Button
          ref={save}
          type="submit"
          variant={count > 0 ? "primary" : "secondary"}
          busy={isBusy}
        >
          {isBusy ? <Trans>Saving...</Trans> : <Trans>Save</Trans>}
        </Button>
      </div>
    </div>
  );
}

/**
 * Checks numbers and limits of alert rules. The server validates everything else and names the
 * field.
 */
function defineSchema(
  fields: readonly OptionField[],
  wrong: { number: string; rules: string },
): z.ZodMiniType<OptionValues, OptionValues> {
  const number = z.string().check(z.regex(/^[0-9]+(\.[0-9]+)?$/, wrong.number));
  const rules = z
    .string()
    .check(z.refine((text) => findAlertRulesIssue(text) === undefined, wrong.rules));
  const kinds: Partial<
    Record<OptionField["kind"], z.ZodMiniType<string | boolean, string | boolean>>
  > = {
    flag: z.boolean(),
    number,
    quota: number,
    "alert-rules": rules,
  };
  return z.object(
    Object.fromEntries(fields.map(({ key, kind }) => [key, kinds[kind] ?? z.string()])),
  );
}
