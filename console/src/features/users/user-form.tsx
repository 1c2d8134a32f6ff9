import { useLingui } from "@lingui/react/macro";
import { searchUsers } from "@tollgate/contract/user-admin.ts";
import type { User } from "@tollgate/contract/users.ts";
import type { ReactNode } from "react";
import { LazyActivityCard } from "../../components/activity/lazy-activity-card.tsx";
import { QuotaField } from "../../components/quota-field.tsx";
import { useFormDraft } from "../../components/use-form-draft.ts";
import { PasswordField, TextField } from "../../ui/field-text.tsx";
import { Form } from "../../ui/form.tsx";
import { useContractForm } from "../../ui/form-contract.ts";
import { useUserFormMessages } from "./user-form-messages.ts";
import { type UserFormOutput, type UserFormValues, userFormSchema } from "./user-form-values.ts";
import { UserGroupField } from "./user-group-field.tsx";
import { NewUserSummary, UserSummary } from "./user-summary.tsx";

type UserFormProps = {
  initial: UserFormValues;
  isNew?: boolean;
  /** The own mail address and password require reauthentication, in the personal settings. */
  isOwn?: boolean;
  isUnlimited?: boolean;
  /** The edited account. */
  read?: User;
  submit: ReactNode;
  submitting: ReactNode;
  onSubmit: (values: UserFormOutput) => Promise<unknown>;
  onReload?: () => void;
};

export function UserForm({
  initial,
  isNew = false,
  isOwn = false,
  isUnlimited = false,
  read,
  onSubmit,
  ...buttons
}: UserFormProps) {
  const { t } = useLingui();
  const messages = useUserFormMessages();
  const form = useFormDraft(useContractForm({ schema: userFormSchema(messages, isNew), initial, onSubmit }), [
    "password",
  ]);
  return (
    <Form
      form={form}
      {...buttons}
      cancelTo="/users"
      summary={read === undefined ? <NewUserSummary form={form} /> : <UserSummary form={form} user={read} />}
      activity={
        read !== undefined && (
          <LazyActivityCard search={searchUsers} id={read.id} steps="days" filter={{ username: read.username }} />
        )
      }
    >
      <TextField {...form.field("username")} label={t`Username`} maxLength={30} required />
      <TextField
        {...form.field("display_name")}
        label={t`Display Name`}
        help={isNew ? t`Empty takes the username.` : undefined}
        maxLength={20}
      />
      <TextField
        {...form.field("email")}
        label={t`Email`}
        type="email"
        help={isOwn ? t`Change your own email and password in your personal settings.` : undefined}
        maxLength={50}
        disabled={isOwn}
      />
      {!isOwn && (
        <PasswordField
          {...form.field("password")}
          label={t`Password`}
          help={
            isNew ? messages.passwordHelp : t`Empty keeps the current one. A new one signs the user out everywhere.`
          }
          autoComplete="new-password"
          required={isNew}
        />
      )}
      {!isUnlimited && <QuotaField {...form.field("quota")} label={t`Quota`} />}
      <UserGroupField {...form.field("group")} />
    </Form>
  );
}
