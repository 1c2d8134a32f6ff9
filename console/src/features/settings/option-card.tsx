import { Trans, useLingui } from "@lingui/react/macro";
import { alertRulesIssue } from "@tollgate/contract/alert-rule-settings.ts";
import { isSecretOption } from "@tollgate/contract/options.ts";
import { useRef, useState } from "react";
import * as z from "zod/mini";
import { FormCard } from "../../ui/form-card.tsx";
import { useContractForm } from "../../ui/form-contract.ts";
import { toast } from "../../ui/toast.tsx";
import { OptionInput } from "./option-input.tsx";
import { changesOf, type OptionField, type OptionSection, type OptionValues, valuesOf } from "./option-sections.ts";
import { isOffered, type StoredOptions, saveOptions } from "./use-options.ts";

/** One section of settings. Sends only changed options, and shows only options that the server has. */
export function OptionCard({ section, stored }: { section: OptionSection; stored: StoredOptions }) {
  const { t } = useLingui();
  const fields = section.fields.filter(({ key }) => isOffered(key, stored));
  const [secretSaves, setSecretSaves] = useState(0);
  const saved = useRef(valuesOf(fields, stored.values));
  const form = useContractForm({
    schema: schemaOf(fields, {
      number: t`Enter a number that is not negative`,
      rules: t`Correct the limits of the alert rules`,
    }),
    initial: saved.current,
    onSubmit: async (values: OptionValues) => {
      const changes = changesOf(fields, values, saved.current);
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
  if (fields.length === 0) return null;
  const title = t(section.title);
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
      {fields.map((field) => (
        // The new key remounts the field of a replaced secret, which closes it. Another save leaves an open question open.
        <OptionInput
          key={field.kind === "secret" ? `${field.key} ${secretSaves}` : field.key}
          field={field}
          isSet={stored.secretsSet.has(field.key)}
        />
      ))}
    </FormCard>
  );
}

/** Checks numbers and limits of alert rules. The server validates everything else and names the field. */
function schemaOf(
  fields: readonly OptionField[],
  wrong: { number: string; rules: string },
): z.ZodMiniType<OptionValues, OptionValues> {
  const number = z.string().check(z.regex(/^[0-9]+(\.[0-9]+)?$/, wrong.number));
  const rules = z.string().check(z.refine((text) => alertRulesIssue(text) === undefined, wrong.rules));
  const kinds: Partial<Record<OptionField["kind"], z.ZodMiniType<string | boolean, string | boolean>>> = {
    flag: z.boolean(),
    number,
    quota: number,
    "alert-rules": rules,
  };
  return z.object(Object.fromEntries(fields.map(({ key, kind }) => [key, kinds[kind] ?? z.string()])));
}
