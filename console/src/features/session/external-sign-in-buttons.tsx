import { Trans } from "@lingui/react/macro";
import { MessageCircle } from "lucide-react";
import { offersPasskeys } from "../../components/sign-in/offers-passkeys.ts";
import { useExternalSignInStart } from "../../components/sign-in/use-external-start.tsx";
import { useSession } from "../../session.ts";
import { useSignInOptions } from "../../shell/use-sign-in-options.ts";
import { Button } from "../../ui/button.tsx";
import { PasskeySignIn } from "./passkey-sign-in.tsx";
import { ProviderButton, SignInAlternatives } from "./sign-in-alternatives.tsx";

/**
 * `ExternalSignInButtons` has a button of WeChat that only logs, as specified, on a server that
 * does not say that it takes WeChat's codes.
 */
export function ExternalSignInButtons({ redirectTo }: { redirectTo: string | undefined }) {
  const { providers, chatApp, oidc } = useSignInOptions();
  const { status } = useSession();
  const { alert, ...buttonState } = useExternalSignInStart(redirectTo);
  return (
    <SignInAlternatives lead={<Trans>Or continue with</Trans>} alert={alert}>
      {offersPasskeys(status) && <PasskeySignIn redirectTo={redirectTo} />}
      {providers.includes("github") && <ProviderButton provider="github" {...buttonState} />}
      {chatApp && !providers.includes("wechat") && (
        <Button
          icon={<MessageCircle />}
          onClick={() => console.info("Chat-app sign-in is not available yet")}
        >
          <Trans>WeChat</Trans>
        </Button>
      )}
      {providers
        .filter((provider) => provider !== "github")
        .map((provider) => (
          <ProviderButton key={provider} provider={provider} {...buttonState} />
        ))}
      {status.proxy_login && <ProviderButton provider="proxy" {...buttonState} />}
      {oidc.map(({ slug }) => (
        <ProviderButton key={slug} provider={`oidc/${slug}`} {...buttonState} />
      ))}
    </SignInAlternatives>
  );
}
