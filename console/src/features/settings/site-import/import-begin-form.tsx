import { Trans, useLingui } from "@lingui/react/macro";
import {
  beginSiteImport,
  getSiteImport,
  planSiteImport,
} from "@tollgate/contract/commands/site-imports.ts";
import { useState } from "react";
import { api } from "../../../api-queries.ts";
import { DollarField } from "../../../components/forms/quota-field.tsx";
import { useReauth } from "../../../shell/use-reauth.tsx";
import { CheckboxField, SelectField } from "../../../ui/form/field-choice.tsx";
import { TextAreaField, TextField } from "../../../ui/form/field-text.tsx";
import { FormCard } from "../../../ui/form/form-card.tsx";
import { type FieldOf, useContractForm, useFieldValue } from "../../../ui/form/form-contract.ts";
import { FieldFrame, useField } from "../../../ui/form/form-field.tsx";
import { Input } from "../../../ui/form/input.tsx";
import { formatDecimal, formatPercent } from "../../../ui/format.ts";
import {
  canBeLitellm,
  type ImportFormOutput,
  importFormSchema,
  newImport,
} from "./import-form-values.ts";
import { uploadImportFile } from "./upload-import-file.ts";

const bytesPerMegabyte = 1_000_000;
const wholePercent = 100;

/** Names the source, sends its file, and asks for the plan. */
export function ImportBeginForm() {
  const { t } = useLingui();
  const [sent, setSent] = useState("");
  const { withReauth, dialog } = useReauth();
  const messages = {
    file: t`Choose a file`,
    units: t`Quota must be a whole number, 0 or more`,
    day: t`Enter a day such as 2026-08-01`,
  };
  const form = useContractForm({
    schema: importFormSchema(messages),
    initial: newImport,
    onSubmit: async ({ file, body }: ImportFormOutput) => {
      try {
        await withReauth((proof) => api.call(beginSiteImport, { body: { ...body, ...proof } }));
        if (file !== undefined) {
          await uploadImportFile(file, (bytes) =>
            setSent(formatPercent(Math.floor((bytes / file.size) * wholePercent), 0)),
          );
        }
        await api.call(planSiteImport);
      } finally {
        setSent("");
        await api.refresh(getSiteImport);
      }
    },
  });
  const kind = useFieldValue(form, "kind");
  const file = useFieldValue(form, "file");
  const address = useFieldValue(form, "address");
  const logs = useFieldValue(form, "logs");

  return (
    <>
      <FormCard
        form={form}
        title={<Trans>Source</Trans>}
        note={
          <Trans>
            one-api, its fork by Laisky, new-api or LiteLLM. The other system is only read
          </Trans>
        }
        submit={<Trans>Show the plan</Trans>}
        submitting={<Trans>Show the plan</Trans>}
      >
        {/* Spell checkers of browsers may send what is typed, and addresses and variables hold passwords. */}
        <div spellCheck={false} className="flex flex-col gap-5">
          <div className="grid items-start gap-5 md:grid-cols-2">
            <SelectField
              {...form.field("kind")}
              label={t`Where its data is`}
              choices={[
                { value: "file", label: t`In a file` },
                { value: "address", label: t`On a database server` },
              ]}
            />
            {kind === "file" ? (
              <SourceFileField {...form.field("file")} />
            ) : (
              <TextField
                {...form.field("address")}
                label={t`Address, or SQL_DSN of that system`}
                placeholder="postgres://user:password@host/name"
                maxLength={2_000}
              />
            )}
          </div>
          <TextField
            {...form.field("name")}
            label={t`Source name. Use the same name each time you import.`}
            maxLength={50}
          />
          {canBeLitellm({ kind, file, address }) && (
            <>
              <TextAreaField
                {...form.field("environment")}
                label={t`LiteLLM: its environment, such as LITELLM_SALT_KEY=…, one variable a line`}
                rows={2}
              />
              <DollarField
                {...form.field("unlimited_as")}
                label={t`LiteLLM: balance of accounts without a budget`}
                note={t`Balances cannot be unlimited here.`}
              />
            </>
          )}
          <CheckboxField {...form.field("logs")} label={t`Import the log too`} />
          {logs && (
            <>
              <TextField
                {...form.field("logs_since")}
                label={t`Log rows since this UTC day`}
                help={t`Older rows are in the sums of the charts alone. Empty for all rows.`}
                placeholder="2026-08-01"
                maxLength={10}
              />
              <TextField
                {...form.field("log_address")}
                label={t`Address of the log, or LOG_SQL_DSN of that system`}
                help={t`Only where the log is in a database of its own.`}
                placeholder="postgres://user:password@host/log"
                maxLength={2_000}
              />
            </>
          )}
        </div>
        {sent !== "" && (
          <p role="status" className="text-muted text-sm tabular-nums">
            <Trans>Sent: {sent}</Trans>
          </p>
        )}
      </FormCard>
      {dialog}
    </>
  );
}

function SourceFileField({ name }: FieldOf<File | undefined>) {
  const { t } = useLingui();
  const { id, field, error, aria } = useField<File | undefined>(name, {});
  const { value: _chosen, onChange, ...rest } = field;
  return (
    <FieldFrame id={id} label={t`SQLite database, or config.yaml of LiteLLM`} error={error}>
      <Input
        {...rest}
        {...aria}
        type="file"
        className="py-1.5"
        onChange={({ target }) => onChange(target.files?.[0])}
      />
    </FieldFrame>
  );
}

/** `formatMegabytes` is for people: megabytes of a million bytes. */
export const formatMegabytes = (bytes: number): string =>
  `${formatDecimal(bytes / bytesPerMegabyte, 1)} MB`;
