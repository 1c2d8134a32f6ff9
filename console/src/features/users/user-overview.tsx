import { Trans, useLingui } from "@lingui/react/macro";
import { searchUsers } from "@tollgate/contract/accounts/user-admin.ts";
import type { User } from "@tollgate/contract/accounts/users.ts";
import { buildUnixSeconds } from "../../compat/time-compat.ts";
import { isUnlimited } from "../../compat/user-compat.ts";
import { LazyActivityCard } from "../../components/activity/lazy-activity-card.tsx";
import { SubjectBudgetsCard } from "../../components/budgets/budgets-card.tsx";
import { Quota } from "../../components/quota.tsx";
import { ThingColumns } from "../../components/things/thing-page.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { Figure, Figures } from "../../ui/figure.tsx";
import { FormSummary, SummaryLine } from "../../ui/form/form-summary.tsx";
import { formatInteger, missing } from "../../ui/format.ts";
import { Time } from "../../ui/time.tsx";
import { AccountLinks } from "./account-links.tsx";
import { DebtAlert } from "./debt-alert.tsx";
import { readRoleName } from "./user-labels.ts";

/** `UserOverview` shows what it is, what it did lately, and what limits it. */
export function UserOverview({ user }: { user: User }) {
  const { status } = useSession();
  return (
    <>
      <DebtAlert user={user} />
      <Figures>
        <Figure label={<Trans>Spent</Trans>} isMain>
          <Quota isOwn units={user.used_quota} />
        </Figure>
        <Figure label={<Trans>Balance</Trans>}>
          <Quota isOwn units={user.quota} unlimited={isUnlimited(user)} />
        </Figure>
        <Figure label={<Trans>Requests</Trans>}>{formatInteger(user.request_count)}</Figure>
        <Figure label={<Trans>Created</Trans>}>
          <Time seconds={buildUnixSeconds(user.created_time, user.created_at)} />
        </Figure>
      </Figures>
      <ThingColumns
        main={
          <LazyActivityCard
            search={searchUsers}
            id={user.id}
            steps="days"
            filter={{ username: user.username }}
          />
        }
        aside={
          <>
            <AccountFacts user={user} />
            {hasFeature(status, "budgets") && <SubjectBudgetsCard subject="user" id={user.id} />}
          </>
        }
      />
    </>
  );
}

function AccountFacts({ user }: { user: User }) {
  const { t } = useLingui();
  const role = readRoleName(user);
  return (
    <FormSummary title={<Trans>The account now</Trans>}>
      <SummaryLine name={<Trans>Email</Trans>}>{user.email || missing}</SummaryLine>
      <SummaryLine name={<Trans>Group</Trans>}>
        <span dir="auto">{user.group || missing}</span>
      </SummaryLine>
      <SummaryLine name={<Trans>Role</Trans>}>{role ? t(role) : missing}</SummaryLine>
      <SummaryLine name={<Trans>See also</Trans>}>
        <ul className="flex flex-col gap-1">
          <AccountLinks user={user} />
        </ul>
      </SummaryLine>
    </FormSummary>
  );
}
