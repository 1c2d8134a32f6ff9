import { Trans } from "@lingui/react/macro";
import type { ExternalProvider } from "@tollgate/contract/external-sign-in.ts";
import { MessageCircle } from "lucide-react";
import { ProviderMark, providerNames } from "../../pieces/external-sign-in-marks.tsx";
import { useExternalStart } from "../../pieces/use-external-start.tsx";
import { useOffers } from "../../shell/use-offers.ts";
import { Button } from "../../ui/button.tsx";

/** The chat-app button only logs, as specified. */
export function ExternalSignIn({ redirectTo }: { redirectTo: string | undefined }) {
  const { github, lark, chatApp } = useOffers();
  const { start, leavingFor, alert } = useExternalStart(redirectTo);
  const leadingTo = (provider: ExternalProvider) => (
    <Button
      busy={leavingFor === provider}
      icon={<ProviderMark provider={provider} />}
      onClick={() => void start(provider)}
    >
      {providerNames[provider]}
    </Button>
  );
  return (
    <div className="flex flex-col gap-3">
      <p className="flex items-center gap-3 text-muted text-sm before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
        <Trans>Or continue with</Trans>
      </p>
      {alert}
      {github && leadingTo("github")}
      {chatApp && (
        <Button icon={<MessageCircle />} onClick={() => console.info("Chat-app sign-in is not available yet")}>
          <Trans>WeChat</Trans>
        </Button>
      )}
      {lark && leadingTo("lark")}
    </div>
  );
}
