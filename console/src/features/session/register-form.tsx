import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { register } from "@tollgate/contract/accounts/registration.ts";
import { call } from "../../api-call.ts";
import { useIdempotencyKey } from "../../components/forms/idempotency-key.ts";
import {
  NewPasswordFields,
  usePasswordMessages,
} from "../../components/forms/new-password-fields.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { EmailCodeField } from "./email-code-field.tsx";
import { defineRegistrationSchema, type RegistrationValues } from "./registration-schema.ts";
import { VisitorForm } from "./visitor-form.tsx";

type RegisterFormProps = {
  /** False when the server does not verify addresses. */
  needsCode: boolean;
  /** The code of the invitation link. */
  invitation: string;
  /** The secret of an invitation into a team; empty without one. */
  teamInvitation: string;
};

export function RegisterForm({ needsCode, invitation, teamInvitation }: RegisterFormProps) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const keyFor = useIdempotencyKey();
  const messages = {
    ...usePasswordMessages(),
    username: t`Username must be at least 3 characters`,
    email: t`Valid email is required`,
    code: t`Verification code is required`,
  };
  const form = useContractForm({
    schema: defineRegistrationSchema(messages, needsCode),
    initial: {
      username: "",
      password: "",
      password2: "",
      email: "",
      verification_code: "",
      invitation_code: invitation,
    },
    failure: t`Registration failed`,
    onSubmit: async ({ password2: _, invitation_code, ...typed }: RegistrationValues) => {
      // Compatible servers differ in which of the two they read.
      const invitationFields =
        invitation_code === "" ? {} : { invitation_code, aff_code: invitation_code };
      const body = {
        ...{ ...typed, ...invitationFields },
        ...(teamInvitation !== "" && { team_invitation: teamInvitation }),
      };
      await call(register, { body, idempotencyKey: keyFor(body) });
      const message = t`Registration successful! Please login with your credentials.`;
      // The invitation is the account's now, which finds it among its teams.
      const search = teamInvitation === "" ? {} : { redirect_to: "/teams" };
      await navigate({ to: "/login", search: search as never, state: { message } });
    },
  });
  return (
    <VisitorForm
      form={form}
      label={t`Create Account`}
      first="username"
      submit={<Trans>Create Account</Trans>}
    >
      <TextField
        {...form.field("username")}
        label={t`Username`}
        autoComplete="username"
        maxLength={30}
        required
      />
      <NewPasswordFields isFirst />
      {needsCode ? (
        <>
          <EmailCodeField {...form.field("email")} />
          <TextField
            {...form.field("verification_code")}
            label={t`Verification Code`}
            autoComplete="one-time-code"
            maxLength={20}
            mono
            required
          />
        </>
      ) : (
        <TextField
          {...form.field("email")}
          label={t`Email`}
          type="email"
          autoComplete="email"
          maxLength={50}
          required
        />
      )}
      <TextField
        {...form.field("invitation_code")}
        label={t`Invitation Code (Optional)`}
        maxLength={32}
        mono
      />
    </VisitorForm>
  );
}
