import { useLingui } from "@lingui/react/macro";
import type { User } from "@tollgate/contract/accounts/users.ts";
import type { ReactNode } from "react";
import { GroupField } from "../../components/forms/group-field.tsx";
import { QuotaField } from "../../components/forms/quota-field.tsx";
import { useFormDraft } from "../../components/forms/use-form-draft.ts";
import { CheckboxField } from "../../ui/form/field-choice.tsx";
import { PasswordField, TextField } from "../../ui/form/field-text.tsx";
import { Form } from "../../ui/form/form.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { useUserFormMessages } from "./user-form-messages.ts";
import {
  defineUserFormSchema,
  type UserFormOutput,
  type UserFormValues,
} from "./user-form-values.ts";
import { NewUserSummary, UserSummary } from "./user-summary.tsx";

type UserFormProps = {
  initial: UserFormValues;
  isNew?: boolean;
  /** The own mail address and password require reauthentication, in the personal settings. */
  isOwn?: boolean;
  isUnlimited?: boolean;
  /** The reader may make an auditor of the account, and an administrator of an auditor. */
  offersAuditor?: boolean;
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
  offersAuditor = false,
  read,
  onSubmit,
  ...buttons
}: UserFormProps) {
  const { t } = useLingui();
  const messages = useUserFormMessages();
  const form = useFormDraft(
    useContractForm({ schema: defineUserFormSchema(messages, isNew), initial, onSubmit }),
    ["password"],
  );
  return (
    <Form
      form={form}
      {...buttons}
      cancelTo="/users"
      summary={
        read === undefined ? (
          <NewUserSummary form={form} />
        ) : (
          <UserSummary form={form} user={read} />
        )
      }
    >
      <TextField {...form.field("username")} label={t`Username`} maxLength={30} required />
      <TextField
        {...form.field("display_name")}
        label={t`Display name`}
        help={isNew ? t`Leave empty to use the username.` : undefined}
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
            isNew
              ? messages.passwordHelp
              : t`Leave empty to keep the current password. A new one signs the user out everywhere.`
          }
          autoComplete="new-password"
          required={isNew}
        />
      )}
      {!isUnlimited && <QuotaField {...form.field("quota")} label={t`Quota`} />}
      <GroupField
        {...form.field("group")}
        help={t`Decides which channels serve the user and at which price ratio.`}
      />
      {offersAuditor && (
        <CheckboxField
          {...form.field("read_only")}
          label={t`Auditor`}
          help={t`Sees what administrators see, except codes and contents of calls, and changes the own account alone.`}
        />
      )}
    </Form>
  );
}
