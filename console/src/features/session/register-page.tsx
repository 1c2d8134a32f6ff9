import { Trans, useLingui } from "@lingui/react/macro";
import { useSearch } from "@tanstack/react-router";
import { useExternalSignInStart } from "../../components/sign-in/use-external-start.tsx";
import { readCode } from "../../components/teams/kept-invitation.ts";
import { useSession } from "../../session.ts";
import { useSignInOptions } from "../../shell/use-sign-in-options.ts";
import { Alert } from "../../ui/alert.tsx";
import { RegisterForm } from "./register-form.tsx";
import { ProviderButton, SignInAlternatives } from "./sign-in-alternatives.tsx";
import { VisitorFrame, VisitorLink } from "./visitor-frame.tsx";

export function RegisterPage() {
  const { t } = useLingui();
  const { status } = useSession();
  const { providers } = useSignInOptions();
  const search: Record<string, string> = useSearch({ strict: false });
  const isClosed = status.password_register === false;
  const teamInvitation = isClosed && status.invites_register === true ? readCode("") : "";
  return (
    <VisitorFrame title={t`Create Account`}>
      {isClosed && teamInvitation === "" ? (
        <Alert tone="info" title={t`Registration is switched off on this server.`} />
      ) : (
        <RegisterForm
          needsCode={status.email_verification !== false}
          invitation={search.aff ?? ""}
          teamInvitation={teamInvitation}
        />
      )}
      {providers.includes("github") && status.github_oauth !== false && <ExternalSignUp />}
      <p className="text-muted text-sm">
        <Trans>Already have an account?</Trans>{" "}
        <VisitorLink to="/login">
          <Trans>Sign in</Trans>
        </VisitorLink>
      </p>
    </VisitorFrame>
  );
}

/** The first sign-in with GitHub creates the account. */
function ExternalSignUp() {
  const { alert, ...buttonState } = useExternalSignInStart(undefined);
  return (
    <SignInAlternatives lead={<Trans>Or sign up with</Trans>} alert={alert}>
      <ProviderButton provider="github" {...buttonState} />
    </SignInAlternatives>
  );
}
