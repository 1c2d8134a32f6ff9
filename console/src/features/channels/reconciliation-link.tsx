import { Trans } from "@lingui/react/macro";
import type { Channel } from "@tollgate/contract/catalogue/channels.ts";
import { hasCostReport } from "@tollgate/contract/figures/cost-report-types.ts";
import { Receipt } from "lucide-react";
import { hasFeature, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";

/** `ReconciliationLink` leads to the costs that the provider reports, where it reports them. */
export function ReconciliationLink({ channel: { id, type } }: { channel: Channel }) {
  const { status } = useSession();
  if (!hasCostReport(type) || !hasFeature(status, "cost_reports")) return null;
  return (
    <ButtonLink to="/channels/costs" search={{ channel: id } as never} icon={<Receipt />}>
      <Trans>Reconcile costs</Trans>
    </ButtonLink>
  );
}
