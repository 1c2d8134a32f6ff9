import { Trans } from "@lingui/react/macro";
import { MessageCircle } from "lucide-react";
import { useExternalStart } from "../../pieces/use-external-start.tsx";
import { useOffers } from "../../shell/use-offers.ts";
import { Button } from "../../ui/button.tsx";
import { OtherWays, ProviderButton } from "./other-ways.tsx";

/** The chat-app button only logs, as specified. */
export function ExternalSignIn({ redirectTo }: { redirectTo: string | undefined }) {
  const { github, lark, chatApp } = useOffers();
  const { alert, ...leaving } = useExternalStart(redirectTo);
  return (
    <OtherWays lead={<Trans>Or continue with</Trans>} alert={alert}>
      {github && <ProviderButton provider="github" {...leaving} />}
      {chatApp && (
        <Button icon={<MessageCircle />} onClick={() => console.info("Chat-app sign-in is not available yet")}>
          <Trans>WeChat</Trans>
        </Button>
      )}
      {lark && <ProviderButton provider="lark" {...leaving} />}
    </OtherWays>
  );
}
