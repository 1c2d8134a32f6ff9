import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listTeamBudgets } from "@tollgate/contract/accounts/team-caps.ts";
import type { Team } from "@tollgate/contract/accounts/teams.ts";
import { pageSizeMax } from "@tollgate/contract/api/page.ts";
import { getMonthReport } from "@tollgate/contract/figures/reports.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { BudgetsCard } from "../../components/budgets/budgets-card.tsx";
import { CardLoading } from "../../components/forms/form-loading.tsx";
import { Quota } from "../../components/quota.tsx";
import { TeamBalance } from "../../components/teams/team-parts.tsx";
import type { TeamTabProps } from "../../components/teams/team-rights.ts";
import { hasFeature, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Figure, Figures } from "../../ui/figure.tsx";
import { formatInteger, missing } from "../../ui/format.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { SmallTable } from "../../ui/table/small-table.tsx";

const TransferDialog = buildLazyPart(
  async () => (await import("./team-transfer-dialog.tsx")).TeamTransferDialog,
);

/** `rowsShown` is the number of top spenders that are shown; the report has all. */
const rowsShown = 8;

/** `TeamOverview` shows what the team has, what it spent this month, and what limits it. */
export function TeamOverview({ team, rights }: TeamTabProps) {
  const [isMoving, setMoving] = useState(false);
  const [month] = useState(() => new Date().toISOString().slice(0, 7));
  const spent = useQuery(
    api.query(getMonthReport, { query: { month, by: "model", team_id: team.id } }),
  );
  return (
    <div className="flex flex-col gap-4">
      <TeamDebt team={team} />
      <Figures>
        <Figure label={<Trans>Balance</Trans>} isMain note={<HeldNote team={team} />}>
          <TeamBalance team={team} />
        </Figure>
        <Figure label={<Trans>Spent this month</Trans>} note={<Trans>Days are UTC.</Trans>}>
          {spent.data === undefined ? missing : <Quota units={spent.data.data.total.quota} isOwn />}
        </Figure>
        <Figure label={<Trans>Members</Trans>}>{formatInteger(team.members)}</Figure>
        <Figure label={<Trans>Keys</Trans>}>{formatInteger(team.keys)}</Figure>
      </Figures>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className="min-w-0 max-w-4xl grow basis-80 text-muted text-sm">
          <Trans>
            A call must fit the limits of its API key, the budget of the member, the budgets and the
            balance of the team, and the budgets of the site. The balance of the member is not used.
          </Trans>
        </p>
        {rights.manage && (
          <Button variant="primary" onClick={() => setMoving(true)}>
            {rights.administer ? <Trans>Move balance</Trans> : <Trans>Add balance</Trans>}
          </Button>
        )}
      </div>
      <TeamBudgetsCard team={team} rights={rights} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <TeamSpending team={team} month={month} by="user" />
        <TeamSpending team={team} month={month} by="model" />
      </div>
      {isMoving && <TransferDialog team={team} rights={rights} onClose={() => setMoving(false)} />}
    </div>
  );
}

/** The budgets of the whole team; for a member, the own ones. */
function TeamBudgetsCard({ team, rights }: TeamTabProps) {
  const { status } = useSession();
  const query = { size: pageSizeMax, ...(rights.see && { subject: "team" as const }) };
  const budgets = useQuery({
    ...api.query(listTeamBudgets, { params: { id: readEntityRef(team) }, query }),
    enabled: hasFeature(status, "budgets"),
  });
  return (
    <BudgetsCard
      source={budgets}
      action={
        <ButtonLink
          size="sm"
          to="/teams/$id/{-$tab}"
          params={{ id: readEntityRef(team), tab: "budgets" }}
        >
          <Trans>All budgets</Trans>
        </ButtonLink>
      }
    />
  );
}

function TeamDebt({ team: { debt } }: { team: Team }) {
  if (debt === null || debt <= 0) return null;
  return (
    <Alert
      tone="warn"
      title={
        <Trans>
          This team owes <Quota units={debt} isOwn />
        </Trans>
      }
    >
      <Trans>New quota pays the debt first.</Trans>
    </Alert>
  );
}

function HeldNote({ team: { held } }: { team: Team }) {
  if (held === null || held === 0) return null;
  return (
    <Trans>
      of it, running calls hold <Quota units={held} isOwn />
    </Trans>
  );
}

type TeamSpendingProps = { team: Team; month: string; by: "user" | "model" };

/** `TeamSpending` shows by whom or by which thing the team's balance was spent in the month. */
function TeamSpending({ team, month, by }: TeamSpendingProps) {
  const { t } = useLingui();
  const report = useQuery(api.query(getMonthReport, { query: { month, by, team_id: team.id } }));
  const rows = report.error === null ? report.data?.data.rows : undefined;
  const title = by === "user" ? t`Spent by members this month` : t`Spent by model this month`;
  const more = (rows?.length ?? 0) - rowsShown;
  return (
    <Card
      title={title}
      action={
        <ButtonLink
          size="sm"
          to="/report"
          search={{ team: team.uuid, by } as never}
          aria-label={t`Report: ${title}`}
        >
          <Trans>Report</Trans>
        </ButtonLink>
      }
    >
      {rows === undefined ? (
        <CardLoading source={report} />
      ) : rows.length === 0 ? (
        <p className="py-8 text-center text-muted">
          <Trans>No calls in this month</Trans>
        </p>
      ) : (
        <SmallTable label={title} words={[t`Name`]} figures={[t`Calls`, t`Spent`]}>
          <tbody>
            {rows.slice(0, rowsShown).map((row) => (
              <tr key={`${row.id} ${row.name}`} className="border-line border-t">
                <th
                  scope="row"
                  dir="auto"
                  className="px-3 py-2 text-start font-normal [overflow-wrap:anywhere]"
                >
                  {row.name !== "" ? (
                    row.name
                  ) : by === "user" ? (
                    <Trans>Service keys</Trans>
                  ) : (
                    missing
                  )}
                </th>
                <td className="numeric px-3">{formatInteger(row.requests)}</td>
                <td className="numeric px-3">
                  <Quota units={row.quota} isOwn />
                </td>
              </tr>
            ))}
          </tbody>
        </SmallTable>
      )}
      {more > 0 && (
        <p className="pt-2 text-muted text-sm">
          <Plural value={more} one="1 more in the report" other="# more in the report" />
        </p>
      )}
    </Card>
  );
}
