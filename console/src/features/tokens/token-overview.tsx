import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listOwnBudgets } from "@tollgate/contract/accounts/budgets.ts";
import { searchTokens, type Token } from "@tollgate/contract/accounts/tokens.ts";
import { listAvailableModels } from "@tollgate/contract/accounts/users.ts";
import { pageSizeMax } from "@tollgate/contract/api/page.ts";
import { api } from "../../api-queries.ts";
import { knowsLimits } from "../../compat/token-compat.ts";
import { LazyActivityCard } from "../../components/activity/lazy-activity-card.tsx";
import { BudgetsCard } from "../../components/budgets/budgets-card.tsx";
import { Quota } from "../../components/quota.tsx";
import { ThingColumns } from "../../components/things/thing-page.tsx";
import { hasFeature, isAdmin, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Figure, Figures } from "../../ui/figure.tsx";
import { FormSummary } from "../../ui/form/form-summary.tsx";
import { Time } from "../../ui/time.tsx";
import { OldKeyFacts } from "./old-key-facts.tsx";
import { PauseNote } from "./pause-note.tsx";
import { buildTokenForm } from "./token-form-values.ts";
import { findLastAccess, neverExpires } from "./token-screen-rules.ts";
import { TokenRights } from "./token-summary.tsx";

/** `TokenOverview` shows what it is, what it did lately, and what limits it. */
export function TokenOverview({ token }: { token: Token }) {
  const { t } = useLingui();
  const { user, status } = useSession();
  const budgets = useQuery({
    ...api.query(listOwnBudgets, { query: { token_id: token.id, size: pageSizeMax } }),
    enabled: hasFeature(status, "budgets"),
  });
  const models = useQuery(api.query(listAvailableModels));
  const rows = budgets.error === null ? (budgets.data?.data ?? []) : [];
  const spending = rows.find(({ by_owner }) => by_owner === true);
  return (
    <>
      {token.old_key_until > 0 && <OldKeyFacts token={token} />}
      {token.paused && (
        <Alert tone="warn" title={t`The key is paused`}>
          <PauseNote pause={token.paused} />
        </Alert>
      )}
      <Figures>
        <Figure label={<Trans>Used Quota</Trans>} isMain>
          <Quota isOwn units={token.used_quota} />
        </Figure>
        <Figure label={<Trans>Remaining Quota</Trans>}>
          <Quota isOwn units={token.remain_quota} unlimited={token.unlimited_quota} />
        </Figure>
        <Figure label={<Trans>Last Access</Trans>}>
          <Time seconds={findLastAccess(token)} />
        </Figure>
        <Figure label={<Trans>Expires</Trans>}>
          {neverExpires(token.expired_time) ? (
            <Trans>Never</Trans>
          ) : (
            <Time seconds={token.expired_time} />
          )}
        </Figure>
      </Figures>
      <ThingColumns
        main={
          <LazyActivityCard
            search={searchTokens}
            id={token.id}
            steps="days"
            // Keys of other users may have the same name.
            filter={{
              token_name: token.name,
              ...(user !== null && isAdmin(user) && { username: user.username }),
            }}
          />
        }
        aside={
          <>
            <FormSummary title={<Trans>What this key may do</Trans>}>
              <TokenRights
                values={buildTokenForm(token, spending)}
                budgets={rows}
                offered={models.data?.data ?? []}
                hasLimits={knowsLimits(token)}
              />
            </FormSummary>
            {hasFeature(status, "budgets") && <BudgetsCard source={budgets} isOwn />}
          </>
        }
      />
    </>
  );
}
