import { Trans, useLingui } from "@lingui/react/macro";
import { findAlertRulesIssue } from "@tollgate/contract/notices/alert-rule-settings.ts";
import { isSecretOption } from "@tollgate/contract/site/options.ts";
import clsx from "clsx";
import { useEffect, useRef, useState } from "react";
import * as z from "zod/mini";
import {
  buildValues,
  listChanges,
  type OptionField,
  type OptionSection,
  type OptionValues,
} from "../../components/settings/option-sections.ts";
import { Alert } from "../../ui/alert.tsx";
import { FormCard } from "../../ui/form/form-card.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { toast } from "../../ui/toast.tsx";
import { OptionInput } from "./option-input.tsx";
import { isOffered, type StoredOptions, saveOptions } from "./use-options.ts";

/** Controls that are no wider than half a card: two of them stand side by side. */
const halfWide: ReadonlySet<OptionField["kind"]> = new Set(["flag", "number", "line", "choice", "fixed"]);

/**
 * `OptionCard` gives one section of settings. Sends only changed options, and shows only options
 * that the server has.
 */
export function OptionCard({ section, stored }: { section: OptionSection; stored: StoredOptions }) {
  const { t } = useLingui();
  const fields = section.fields.filter(({ key }) => isOffered(key, stored));
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
      await saveOptions(changes, ({ key }) => {
        saved.current = { ...saved.current, [key]: values[key] ?? "" };
      });
      for (const { key, kind } of fields) {
        if (kind !== "secret") continue;
        saved.current = { ...saved.current, [key]: "" };
        form.methods.setValue(key, "");
      }
      if (changes.some(({ key }) => isSecretOption(key))) setSecretSaves((before) => before + 1);
      toast(changes.length === 0 ? t`Nothing was changed` : t`Settings saved`, {
        tone: changes.length === 0 ? "info" : "good",
      });
    },
  });
  useEffect(() => {
    // A value that was shown while the list was read again may be older: a field that the user left as it was takes the stored one.
    const read = buildValues(fields, stored.values);
    for (const { key } of fields) {
      if (read[key] === saved.current[key] || form.methods.getValues(key) !== saved.current[key]) continue;
      saved.current = { ...saved.current, [key]: read[key] ?? "" };
      form.methods.resetField(key, { defaultValue: read[key] ?? "" });
    }
  });
  if (fields.length === 0) return null;
  const title = t(section.title);
  const values = form.methods.watch();
  const warnings = fields.flatMap(({ key, warning }) =>
    values[key] === saved.current[key] ? [] : (warning?.(values[key] ?? "") ?? []),
  );
  return (
    <FormCard
      form={form}
      title={title}
      note={section.note && t(section.note)}
      submit={
        <>
          <Trans>Save</Trans> <span className="sr-only">{title}</span>
        </>
      }
      submitting={<Trans>Saving...</Trans>}
    >
      <div className="grid gap-x-6 gap-y-5 md:grid-cols-2">
        {fields.map((field) => (
          // The new key remounts the field of a replaced secret, which closes it. Another save leaves an open question open.
          <div
            key={field.kind === "secret" ? `${field.key} ${secretSaves}` : field.key}
            id={`option-${field.key}`}
            className={clsx("scroll-mt-24", !halfWide.has(field.kind) && "md:col-span-2")}
          >
            <OptionInput field={field} isSet={stored.secretsSet.has(field.key)} />
          </div>
        ))}
      </div>
      {warnings.map((warning) => (
        <Alert key={warning.id} tone="warn" title={t(warning)} />
      ))}
    </FormCard>
  );
}

/** Checks numbers and limits of alert rules. The server validates everything else and names the field. */
function defineSchema(
  fields: readonly OptionField[],
  wrong: { number: string; rules: string },
): z.ZodMiniType<OptionValues, OptionValues> {
  const number = z.string().check(z.regex(/^[0-9]+(\.[0-9]+)?$/, wrong.number));
  const rules = z.string().check(z.refine((text) => findAlertRulesIssue(text) === undefined, wrong.rules));
  const kinds: Partial<Record<OptionField["kind"], z.ZodMiniType<string | boolean, string | boolean>>> = {
    flag: z.boolean(),
    number,
    quota: number,
    "alert-rules": rules,
  };
  return z.object(Object.fromEntries(fields.map(({ key, kind }) => [key, kinds[kind] ?? z.string()])));
}
