import { Trans } from "@lingui/react/macro";
import { hasFeature, isRoot, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";

export function SiteImportCard() {
  const { user, status } = useSession();
  if (!isRoot(user) || !hasFeature(status, "site_imports")) return null;
  return (
    <Card
      title={<Trans>Move in from another system</Trans>}
      note={
        <Trans>
          Users, keys, channels, prices, settings and balances of one-api, new-api or LiteLLM
        </Trans>
      }
    >
      <ButtonLink to="/settings/other/{-$id}" params={{ id: "import" }}>
        <Trans>Open the import</Trans>
      </ButtonLink>
    </Card>
  );
}
