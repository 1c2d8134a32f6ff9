import { Trans } from "@lingui/react/macro";
import { hasFeature, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";

/** Leads to the teams of the user. */
export function TeamsCard() {
  const { status } = useSession();
  if (!hasFeature(status, "teams")) return null;
  return (
    <Card
      title={<Trans>Teams</Trans>}
      note={<Trans>People who share a balance, with API keys that it pays for.</Trans>}
    >
      <ButtonLink to="/teams" className="self-start">
        <Trans>Your teams</Trans>
      </ButtonLink>
    </Card>
  );
}
