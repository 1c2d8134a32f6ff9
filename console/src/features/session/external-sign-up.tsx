import { Trans } from "@lingui/react/macro";
import { useExternalSignInStart } from "../../components/sign-in/use-external-start.tsx";
import { ProviderButton, SignInAlternatives } from "./sign-in-alternatives.tsx";

/** The first sign-in with GitHub creates the account. */
export function ExternalSignUp() {
  const { alert, ...buttonState } = useExternalSignInStart(undefined);
  return (
    <SignInAlternatives lead={<Trans>Or sign up with</Trans>} alert={alert}>
      <ProviderButton provider="github" {...buttonState} />
    </SignInAlternatives>
  );
}
