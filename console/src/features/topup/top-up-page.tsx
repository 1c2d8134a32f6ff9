import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { listOwnBudgets } from "@tollgate/contract/accounts/budgets.ts";
import { redeemCode } from "@tollgate/contract/accounts/redemptions.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { pageSizeMax } from "@tollgate/contract/api/page.ts";
import { getDashboardInsight } from "@tollgate/contract/figures/dashboard.ts";
import { ExternalLink } from "lucide-react";
import { useState } from "react";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { isUnlimited } from "../../compat/user-compat.ts";
import { BudgetsCard } from "../../components/budgets/budgets-card.tsx";
import { BurnDownCard } from "../../components/budgets/burn-down-card.tsx";
import { useIdempotencyKey } from "../../components/forms/idempotency-key.ts";
import { LazyTeamSwitch } from "../../components/teams/lazy-team-switch.tsx";
import { useTeamPayer } from "../../components/teams/team-payer.ts";
import { hasFeature, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { buttonStyle } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { FormCard } from "../../ui/form/form-card.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { formatInteger } from "../../ui/format.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page.tsx";
import { BalanceCard } from "./balance-card.tsx";
import { composePaymentLink } from "./payment-link.ts";

const TeamBalanceCards = buildLazyPart(
  async () => (await import("./team-balance.tsx")).TeamBalanceCards,
);
const TransferCard = buildLazyPart(async () => (await import("./transfer-card.tsx")).TransferCard);

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
          <RedeemCard isMainAct={link === undefined} />
          {team === undefined && <OwnBudgetsCard />}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {link !== undefined && <PaymentCard link={link} />}
          <TipsCard />
          {team === undefined && status.transfers_to_users === true && <TransferCard />}
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
      <a
        href={link}
        target="_blank"
        rel="noopener noreferrer"
        className={buttonStyle({ variant: "primary" })}
      >
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

/** The budgets of the user and of the user's keys. */
function OwnBudgetsCard() {
  const isServed = hasFeature(useSession().status, "budgets");
  const budgets = useQuery({
    ...api.query(listOwnBudgets, { query: { size: pageSizeMax } }),
    enabled: isServed,
  });
  return (
    <BudgetsCard
      source={budgets}
      isOwn
      subjectOf={({ subject, subject_name }) => subject === "token" && subject_name}
    />
  );
}

/** Where quota can be bought too, buying is the main act of the page. */
function RedeemCard({ isMainAct }: { isMainAct: boolean }) {
  const { t } = useLingui();
  const [added, setAdded] = useState<number>();
  const [paidBefore, setPaidBefore] = useState(0);
  // Refetches the balance even without a response, so that the user sees the outcome before trying
  // again.
  const redeem = useMutation(api.mutation(redeemCode, { refreshes: [getSelf] }));
  const keyFor = useIdempotencyKey();
  const form = useContractForm({
    schema: z.object({
      key: z.string().check(z.trim(), z.minLength(1, t`Redemption code is required`)),
    }),
    initial: { key: "" },
    failure: t`Redemption failed`,
    onSubmit: async (body: { key: string }) => {
      setAdded(undefined);
      // Typing a redeemed code again is a new redemption, which the gateway refuses, not a retry.
      const { data } = await redeem.mutateAsync({
        body,
        idempotencyKey: keyFor([paidBefore, body]),
      });
      setAdded(data);
      setPaidBefore(paidBefore + 1);
      form.methods.setValue("key", "");
    },
  });
  const amount = formatInteger(added);
  return (
    <FormCard
      form={form}
      isMainAct={isMainAct}
      title={<Trans>Redeem a code</Trans>}
      submit={<Trans>Redeem</Trans>}
      submitting={<Trans>Redeeming...</Trans>}
    >
      <TextField {...form.field("key")} label={t`Redemption code`} mono maxLength={128} required />
      {added !== undefined && (
        <Alert tone="good" title={t`Successfully redeemed! Added ${amount} tokens.`} />
      )}
    </FormCard>
  );
}
