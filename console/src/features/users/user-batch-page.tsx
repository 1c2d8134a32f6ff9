import { Trans, useLingui } from "@lingui/react/macro";
import { createUser } from "@tollgate/contract/user-admin.ts";
import { useRef } from "react";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { batchMax, namesIn } from "../../components/batch/batch-names.ts";
import { BatchResult } from "../../components/batch/batch-result.tsx";
import { useBatch } from "../../components/batch/use-batch.ts";
import { Quota } from "../../components/quota.tsx";
import { QuotaField } from "../../components/quota-field.tsx";
import { amountTyped, wholeNumber } from "../../components/whole-number.ts";
import { TextAreaField } from "../../ui/field-text.tsx";
import { Form } from "../../ui/form.tsx";
import { type ContractForm, useContractForm, useFieldValue } from "../../ui/form-contract.ts";
import { FormSummary, SummaryLine } from "../../ui/form-summary.tsx";
import { formatInteger } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { temporaryPassword } from "./temporary-password.ts";
import { UserGroupField } from "./user-group-field.tsx";

type UserBatchForm = { names: string; quota: string; group: string };
type UserBatchOutput = Omit<UserBatchForm, "quota"> & { quota: number };

const noAccounts: UserBatchForm = { names: "", quota: "0", group: "default" };

/** An account with a temporary password for each name of a list. */
export function UserBatchPage() {
  const { t } = useLingui();
  const batch = useBatch();
  /** One for each name: a repetition after a lost reply finds the account with the password of the first try. */
  const passwords = useRef(new Map<string, string>());
  const makeFor = ({ quota, group }: UserBatchOutput) => {
    return async (username: string, idempotencyKey: string) => {
      const password = passwords.current.get(username) ?? temporaryPassword();
      passwords.current.set(username, password);
      await api.call(createUser, { body: { username, password, quota, group }, idempotencyKey });
      return password;
    };
  };
  return (
    <Page title={t`Several accounts`} subtitle={t`One account for each name, with a temporary password`}>
      {batch.entries === undefined ? (
        <UserNamesForm onSubmit={(values) => batch.start(namesIn(values.names), makeFor(values))} />
      ) : (
        <BatchResult
          title={<Trans>Accounts</Trans>}
          entries={batch.entries}
          isRunning={batch.isRunning}
          secretName={t`Temporary password`}
          fileName="accounts.csv"
          warning={t`The passwords are shown here alone: copy or save them before you leave. The first sign-in asks for another.`}
          listTo="/users"
          onRetry={batch.retry}
        />
      )}
    </Page>
  );
}

function UserNamesForm({ onSubmit }: { onSubmit: (values: UserBatchOutput) => void }) {
  const { t } = useLingui();
  const schema: z.ZodMiniType<UserBatchOutput, UserBatchForm> = z.object({
    names: z.string().check(
      z.refine((text) => namesIn(text).length > 0, t`Username is required`),
      z.refine((text) => namesIn(text).length <= batchMax, t`At most ${batchMax} names at once`),
    ),
    quota: wholeNumber(t`Quota must be non-negative`),
    group: z.string(),
  });
  const form = useContractForm({
    schema,
    initial: noAccounts,
    onSubmit: async (values: UserBatchOutput) => onSubmit(values),
  });
  return (
    <Form
      form={form}
      submit={<Trans>Create accounts</Trans>}
      submitting={<Trans>Creating...</Trans>}
      cancelTo="/users"
      summary={<UserBatchSummary form={form} />}
    >
      <TextAreaField {...form.field("names")} label={t`Usernames`} help={t`One a line.`} rows={8} required />
      <QuotaField {...form.field("quota")} label={t`Quota`} />
      <UserGroupField {...form.field("group")} />
    </Form>
  );
}

function UserBatchSummary({ form }: { form: ContractForm<UserBatchForm> }) {
  const count = namesIn(useFieldValue(form, "names")).length;
  const each = amountTyped(useFieldValue(form, "quota"));
  const group = useFieldValue(form, "group");
  return (
    <FormSummary title={<Trans>What is created</Trans>}>
      <SummaryLine name={<Trans>Accounts</Trans>}>{formatInteger(count)}</SummaryLine>
      <SummaryLine name={<Trans>Start with</Trans>}>
        <p>
          <Trans>
            <Quota units={each} /> each
          </Trans>
        </p>
        <p>
          <Trans>
            <Quota units={count * each} /> for all of them
          </Trans>
        </p>
      </SummaryLine>
      <SummaryLine name={<Trans>Password</Trans>}>
        <Trans>Temporary: the first sign-in asks for another</Trans>
      </SummaryLine>
      <SummaryLine name={<Trans>Reach</Trans>}>
        <Trans>Channels that are open to {group}</Trans>
      </SummaryLine>
    </FormSummary>
  );
}
