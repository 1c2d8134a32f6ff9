import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { getDashboardInsight } from "@tollgate/contract/figures/dashboard.ts";
import { ExternalLink } from "lucide-react";
import { api } from "../../api-queries.ts";
import { isUnlimited } from "../../compat/user-compat.ts";
import { BurnDownCard } from "../../components/budgets/burn-down-card.tsx";
import { LazyTeamSwitch } from "../../components/teams/lazy-team-switch.tsx";
import { useTeamPayer } from "../../components/teams/team-payer.ts";
import { hasFeature, useSession } from "../../session.ts";
import { buttonStyle } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page.tsx";
import { BalanceCard } from "./balance-card.tsx";
import { OwnBudgetsCard } from "./own-budgets-card.tsx";
import { composePaymentLink } from "./payment-link.ts";
import { RedeemCard } from "./redeem-card.tsx";

const TeamBalanceCards = buildLazyPart(
  async () => (await import("./team-balance.tsx")).TeamBalanceCards,
);

export function TopUpPage() {
  const { t } = useLingui();
  const { status } = useSession();
  const link = composePaymentLink(status.top_up_link);
  const team = useTeamPayer();
  return (
    <Page title={t`Top Up`} subtitle={t`Add quota to your account`} action={<LazyTeamSwitch />}>
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          {team !== undefined ? (
            <TeamBalanceCards key={team} team={team} />
          ) : (
            <>
              <BalanceCard />
              {hasFeature(status, "dashboard_insight") && <OwnBurnDown />}
            </>
          )}
          <RedeemCard />
          {team === undefined && <OwnBudgetsCard />}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {link !== undefined && <PaymentCard link={link} />}
          <TipsCard />
        </div>
      </div>
    </Page>
  );
}

/** Known from three finished days on; a balance without a limit has no end. */
function OwnBurnDown() {
  const self = useQuery(api.query(getSelf));
  const insight = useQuery(api.query(getDashboardInsight, { query: {} }));
  const account = self.data?.data;
  if (account === undefined || self.error !== null || insight.error !== null) return null;
  if (isUnlimited(account) || Number.isNaN(account.quota)) return null;
  return <BurnDownCard balance={account.quota} pace={insight.data?.data.pace} />;
}

function PaymentCard({ link }: { link: string }) {
  const { host } = new URL(link);
  return (
    <Card
      title={<Trans>Online payment</Trans>}
      note={<Trans>You pay on {host}, in a new tab.</Trans>}
    >
      <a href={link} target="_blank" rel="noopener noreferrer" className={buttonStyle()}>
        <ExternalLink aria-hidden="true" />
        <Trans>Buy quota</Trans>
      </a>
    </Card>
  );
}

function TipsCard() {
  return (
    <Card title={<Trans>Tips</Trans>}>
      <ul className="flex list-disc flex-col gap-1.5 pl-5 text-muted">
        <li>
          <Trans>Codes are case-sensitive: copy a code instead of typing it.</Trans>
        </li>
        <li>
          <Trans>Each code pays once, to the first user who redeems it.</Trans>
        </li>
        <li>
          <Trans>After several wrong codes, redeeming pauses for ten minutes.</Trans>
        </li>
        <li>
          <Trans>All your API keys are paid from this balance, up to their own limits.</Trans>
        </li>
        <li>
          <Trans>Every top-up has a line in your logs.</Trans>
        </li>
      </ul>
    </Card>
  );
}
