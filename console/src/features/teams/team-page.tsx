import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { getTeam, type Team } from "@tollgate/contract/accounts/teams.ts";
import type { ComponentType, ReactNode } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { FormLoading } from "../../components/forms/form-loading.tsx";
import { TeamBadges } from "../../components/teams/team-parts.tsx";
import { readTeamRights, type TeamTabProps } from "../../components/teams/team-rights.ts";
import { hasFeature, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";

const tabParts = {
  overview: buildLazyPart<TeamTabProps>(
    async () => (await import("./team-overview.tsx")).TeamOverview,
  ),
  keys: buildLazyPart<TeamTabProps>(
    async () => (await import("../../components/teams/team-keys.tsx")).TeamKeys,
  ),
  members: buildLazyPart<TeamTabProps>(
    async () => (await import("./team-members.tsx")).TeamMembers,
  ),
  budgets: buildLazyPart<TeamTabProps>(
    async () => (await import("./team-budgets.tsx")).TeamBudgets,
  ),
  statement: buildLazyPart<TeamTabProps>(
    async () => (await import("./team-statement.tsx")).TeamStatementTab,
  ),
  activity: buildLazyPart<TeamTabProps>(
    async () => (await import("./team-activity.tsx")).TeamActivity,
  ),
  settings: buildLazyPart<TeamTabProps>(
    async () => (await import("./team-settings.tsx")).TeamSettings,
  ),
} satisfies Record<string, ComponentType<TeamTabProps>>;
type TabName = keyof typeof tabParts;
const isTab = (name: string): name is TabName => Object.hasOwn(tabParts, name);

/** `TeamPage` shows a team, with its tabs in the address. */
export function TeamPage() {
  const { t } = useLingui();
  const { id = "" } = useParams({ strict: false });
  const team = useQuery(api.query(getTeam, { params: { id } }));
  const read = team.error === null ? team.data?.data : undefined;
  if (read === undefined)
    return (
      <Page title={t`Team`}>
        <FormLoading
          source={team}
          text={t`Loading...`}
          fields={4}
          list={{ to: "/teams", label: t`Back to teams` }}
        />
      </Page>
    );
  return <LoadedTeam team={read} />;
}

function LoadedTeam({ team }: { team: Team }) {
  const { t } = useLingui();
  const { user, status } = useSession();
  const { tab = "overview" } = useParams({ strict: false });
  const rights = readTeamRights(user ?? { role: 0 }, team);
  const labels: Record<TabName, string> = {
    overview: t`Overview`,
    keys: t`Keys`,
    members: t`Members`,
    budgets: t`Budgets`,
    statement: t`Statement`,
    activity: t`Activity`,
    settings: t`Settings`,
  };
  const isOffered: Partial<Record<TabName, boolean>> = {
    budgets: hasFeature(status, "budgets"),
    statement: rights.see,
    settings: rights.manage,
  };
  const names = (Object.keys(tabParts) as TabName[]).filter((name) => isOffered[name] !== false);
  const base = `/teams/${readEntityRef(team)}`;
  const addressOf = (name: TabName) => (name === "overview" ? base : `${base}/${name}`);
  const current = names.find((name) => name === tab && isTab(name));
  const Part = current === undefined ? undefined : tabParts[current];
  return (
    <Page
      title={team.name}
      subtitle={
        <span className="inline-flex flex-wrap items-center gap-2">
          <Trans>Team</Trans>
          <TeamBadges team={team} />
        </span>
      }
    >
      <Tabs
        label={team.name}
        tabs={names.map((name) => ({ to: addressOf(name), label: labels[name] }))}
        current={current && addressOf(current)}
      >
        {Part === undefined ? <NoSuchTab /> : <Part team={team} rights={rights} />}
      </Tabs>
    </Page>
  );
}

const NoSuchTab = (): ReactNode => (
  <Alert
    title={<Trans>This part of the team does not exist, or you have no access to it.</Trans>}
  />
);
