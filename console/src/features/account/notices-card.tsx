import { Trans } from "@lingui/react/macro";
import { hasFeature, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";

/** Leads to where the user is told of what is theirs. */
export function NoticesCard() {
  const { status } = useSession();
  if (!hasFeature(status, "own_notices")) return null;
  return (
    <Card
      title={<Trans>Notices</Trans>}
      note={<Trans>By mail, webhook, Telegram or ntfy: low balance, expiring keys, budgets.</Trans>}
    >
      <ButtonLink to="/settings/notices" className="self-start">
        <Trans>Choose where you get notices</Trans>
      </ButtonLink>
    </Card>
  );
}
