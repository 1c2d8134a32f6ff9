import { Trans } from "@lingui/react/macro";
import { MessageCircle } from "lucide-react";
import { useOffers } from "../../shell/use-offers.ts";
import { Button } from "../../ui/button.tsx";

/** The chat-app button only logs, as specified. The two providers join it together with their callback pages. */
export function ExternalSignIn() {
  const { chatApp } = useOffers();
  if (!chatApp) return null;
  return (
    <div className="flex flex-col gap-3">
      <p className="flex items-center gap-3 text-muted text-sm before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
        <Trans>Or continue with</Trans>
      </p>
      <Button icon={<MessageCircle />} onClick={() => console.info("Chat-app sign-in is not available yet")}>
        <Trans>WeChat</Trans>
      </Button>
    </div>
  );
}
