import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import {
  listResetWays,
  resetPassword,
  type WaysIn,
} from "@tollgate/contract/accounts/registration.ts";
import { useEffect, useState } from "react";
import * as z from "zod/mini";
import { call } from "../../api-call.ts";
import {
  NewPasswordFields,
  usePasswordMessages,
} from "../../components/forms/new-password-fields.tsx";
import {
  definePasswordPair,
  defineSamePasswords,
  type NewPasswordValues,
} from "../../components/forms/new-password-schema.ts";
import { useProviderName } from "../../components/sign-in/external-provider-logos.tsx";
import type { SignInProvider } from "../../components/sign-in/external-sign-in-start.ts";
import { CheckboxField } from "../../ui/form/field-choice.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { Spinner } from "../../ui/spinner.tsx";
import { VisitorForm } from "./visitor-form.tsx";
import { VisitorFrame, VisitorLink } from "./visitor-frame.tsx";

export function NewPasswordPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const { email, token }: Record<string, string> = useSearch({ strict: false });
  const isComplete = Boolean(email && token);
  useEffect(() => {
    if (isComplete) return;
    const message = t`Invalid or missing reset parameters`;
    void navigate({ to: "/login", replace: true, state: { message, tone: "bad" } });
  }, [isComplete, navigate, t]);
  return email && token ? <ResetLink email={email} token={token} /> : null;
}

type MailedLink = { email: string; token: string };

/** A link that is no longer good shows its form too: the refusal comes with the reason. */
function ResetLink({ email, token }: MailedLink) {
  const [ways, setWays] = useState<WaysIn>();
  useEffect(() => {
    const leaving = new AbortController();
    call(listResetWays, { body: { email, token }, signal: leaving.signal }).then(
      ({ data }) => setWays(data),
      () => leaving.signal.aborted || setWays(noWays),
    );
    return () => leaving.abort();
  }, [email, token]);
  return ways === undefined ? (
    <Spinner className="m-auto size-6" />
  ) : (
    <NewPassword {...{ email, token, ways }} />
  );
}

const noWays: WaysIn = { passkeys: [], external_accounts: [], last_sign_in_at: 0 };

/**
 * `isAnyYounger` gives one that is younger than the last sign-in of this browser may be a
 * stranger's.
 */
const isAnyYounger = (
  ways: readonly { created_at: number }[],
  { last_sign_in_at }: WaysIn,
): boolean => ways.some(({ created_at }) => created_at > last_sign_in_at);

type TickedBoxes = {
  disable_tokens: boolean;
  end_passkeys: boolean;
  end_external_accounts: boolean;
};

function NewPassword({ email, token, ways }: MailedLink & { ways: WaysIn }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const messages = usePasswordMessages();
  const nameOf = useProviderName();
  const { passkeys, external_accounts: external } = ways;
  const helpOf = (ways: readonly string[]) => {
    const names = ways.join(", ");
    return t`They sign in without the password: ${names}`;
  };
  const boxes = {
    disable_tokens: z.boolean(),
    end_passkeys: z.boolean(),
    end_external_accounts: z.boolean(),
  };
  const form = useContractForm({
    schema: z
      .object({ ...definePasswordPair(messages), ...boxes })
      .check(defineSamePasswords(messages)),
    initial: {
      password: "",
      password2: "",
      disable_tokens: false,
      end_passkeys: isAnyYounger(passkeys, ways),
      end_external_accounts: isAnyYounger(external, ways),
    },
    failure: t`Password reset failed`,
    onSubmit: async ({ password, password2: _, ...ended }: NewPasswordValues & TickedBoxes) => {
      const ticked = Object.fromEntries(Object.entries(ended).filter(([, isTicked]) => isTicked));
      await call(resetPassword, { body: { email, token, password, ...ticked } });
      const message = t`Password reset successful! Please login with your new password.`;
      // `replace`, because the link in the URL is used up.
      await navigate({ to: "/login", replace: true, state: { message } });
    },
  });
  return (
    <VisitorFrame title={t`Set New Password`} subtitle={email}>
      <VisitorForm
        form={form}
        label={t`Set New Password`}
        first="password"
        submit={<Trans>Update Password</Trans>}
      >
        <NewPasswordFields />
        {passkeys.length > 0 && (
          <CheckboxField
            name="end_passkeys"
            label={t`Also remove my passkeys`}
            help={helpOf(passkeys.map(({ name }) => name))}
          />
        )}
        {external.length > 0 && (
          <CheckboxField
            name="end_external_accounts"
            label={t`Also unbind my accounts at other providers`}
            help={helpOf(
              external.map(({ provider, name }) => `${formatTitle(provider, nameOf)} (${name})`),
            )}
          />
        )}
        <CheckboxField
          name="disable_tokens"
          label={t`Also disable all my API keys`}
          help={t`If another person had access to your account, that person may know your keys or have created some.`}
        />
      </VisitorForm>
      <p className="flex flex-wrap justify-between gap-x-4 text-sm">
        <VisitorLink to="/login">
          <Trans>Back to Login</Trans>
        </VisitorLink>
        <VisitorLink to="/reset">
          <Trans>Request a new link</Trans>
        </VisitorLink>
      </p>
    </VisitorFrame>
  );
}

/** A provider of OpenID Connect is known by its issuer. */
const formatTitle = (provider: string, nameOf: ReturnType<typeof useProviderName>): string =>
  provider.startsWith("oidc:")
    ? provider.slice("oidc:".length)
    : nameOf(provider as SignInProvider);
