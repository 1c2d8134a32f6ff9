import { Trans, useLingui } from "@lingui/react/macro";
import { createUser } from "@tollgate/contract/accounts/user-admin.ts";
import { useRef } from "react";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { batchMax, parseNames } from "../../components/batch/batch-names.ts";
import { BatchResult } from "../../components/batch/batch-result.tsx";
import { useBatch } from "../../components/batch/use-batch.ts";
import { GroupField } from "../../components/forms/group-field.tsx";
import { QuotaField } from "../../components/forms/quota-field.tsx";
import { computeAmountTyped, defineWholeNumber } from "../../components/forms/whole-number.ts";
import { Quota } from "../../components/quota.tsx";
import { TextAreaField } from "../../ui/form/field-text.tsx";
import { Form } from "../../ui/form/form.tsx";
import { type ContractForm, useContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormSummary, SummaryLine } from "../../ui/form/form-summary.tsx";
import { formatInteger } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";

type UserBatchForm = { names: string; quota: string; group: string };
type UserBatchOutput = Omit<UserBatchForm, "quota"> & { quota: number };

const noAccounts: UserBatchForm = { names: "", quota: "0", group: "default" };

/** An account with a temporary password for each name of a list. */
export function UserBatchPage() {
  const { t } = useLingui();
  const batch = useBatch();
  /**
   * `passwords` are one for each name: a repetition after a lost reply finds the account with the
   * password of the first try.
   */
  const passwords = useRef(new Map<string, string>());
  const makeFor = ({ quota, group }: UserBatchOutput) => {
    return async (username: string, idempotencyKey: string) => {
      const password = passwords.current.get(username) ?? readTemporaryPassword();
      passwords.current.set(username, password);
      await api.call(createUser, { body: { username, password, quota, group }, idempotencyKey });
      return password;
    };
  };
  return (
    <Page
      title={t`Several accounts`}
      subtitle={t`One account for each name, with a temporary password`}
    >
      {batch.entries === undefined ? (
        <UserNamesForm
          onSubmit={(values) => batch.start(parseNames(values.names), makeFor(values))}
        />
      ) : (
        <BatchResult
          title={<Trans>Accounts</Trans>}
          entries={batch.entries}
          isRunning={batch.isRunning}
          secretName={t`Temporary password`}
          fileName="accounts.csv"
          warning={t`Copy or save the passwords before you leave; they are not shown again. Each user chooses a new one at the first sign-in.`}
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
      z.refine((text) => parseNames(text).length > 0, t`Username is required`),
      z.refine((text) => parseNames(text).length <= batchMax, t`At most ${batchMax} names at once`),
    ),
    quota: defineWholeNumber(t`Quota must be non-negative`),
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
      <TextAreaField
        {...form.field("names")}
        label={t`Usernames`}
        help={t`One name per line.`}
        rows={8}
        required
      />
      <QuotaField {...form.field("quota")} label={t`Quota`} />
      <GroupField
        {...form.field("group")}
        help={t`Decides which channels serve the user and at which price ratio.`}
      />
    </Form>
  );
}

function UserBatchSummary({ form }: { form: ContractForm<UserBatchForm> }) {
  const count = parseNames(useFieldValue(form, "names")).length;
  const each = computeAmountTyped(useFieldValue(form, "quota"));
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
        <Trans>Temporary: the user chooses a new one at the first sign-in</Trans>
      </SummaryLine>
      <SummaryLine name={<Trans>Reach</Trans>}>
        <Trans>Channels that are open to {group}</Trans>
      </SummaryLine>
    </FormSummary>
  );
}

/** Passwords that an administrator hands out. */

/** Shorter than 8 characters, which makes it temporary: the first sign-in asks for another. */
const length = 7;
/**
 * 32 letters and digits that are told apart on paper, so that each is five bits of a byte: 35 bits
 * in all.
 */
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";

const readTemporaryPassword = (
  random: Uint8Array = crypto.getRandomValues(new Uint8Array(length)),
): string => Array.from(random, (byte) => alphabet[byte % alphabet.length]).join("");
