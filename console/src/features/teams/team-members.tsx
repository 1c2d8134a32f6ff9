import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  getTeam,
  listTeamMembers,
  listTeams,
  listTeamTokens,
  removeTeamMember,
  setTeamMember,
  type TeamMember,
  type TeamRole,
  teamRoles,
} from "@tollgate/contract/accounts/teams.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import {
  ItemActions,
  ItemList,
  ItemRow,
  ItemText,
  ItemTitle,
} from "../../components/lists/item-row.tsx";
import { ProviderBadge } from "../../components/teams/provider-badge.tsx";
import type { TeamTabProps } from "../../components/teams/team-rights.ts";
import { mayRemoveMember } from "../../components/teams/team-rights.ts";
import { teamRoleLabels } from "../../components/teams/team-words.ts";
import { toastError } from "../../components/toast-failure.ts";
import { useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Select } from "../../ui/form/input.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { Time } from "../../ui/time.tsx";
import { TeamInvitationsCard } from "./team-invitations-card.tsx";

const TeamMemberDialog = buildLazyPart(
  async () => (await import("./team-member-dialog.tsx")).TeamMemberDialog,
);
const PeopleDialog = buildLazyPart(
  async () => (await import("../../components/teams/people-dialog.tsx")).PeopleDialog,
);

/** A changed membership changes counts and keys too. */
const membershipReads = [listTeamMembers, getTeam, listTeamTokens] as const;

/** `TeamMembers` lists the people of the team; a member sees the own row. */
export function TeamMembers({ team, rights }: TeamTabProps) {
  const [isAdding, setAdding] = useState(false);
  const [isAddingMany, setAddingMany] = useState(false);
  const members = useQuery(api.query(listTeamMembers, { params: { id: readEntityRef(team) } }));
  return (
    <div className="flex flex-col gap-4">
      <Card
        title={<Trans>Members</Trans>}
        note={!rights.see && <Trans>Team admins see all members; you see yourself.</Trans>}
        action={
          rights.administer && (
            <span className="flex flex-wrap gap-2">
              <Button size="sm" onClick={() => setAddingMany(true)}>
                <Trans>Add several</Trans>
              </Button>
              <Button variant="primary" size="sm" onClick={() => setAdding(true)}>
                <Trans>Add member</Trans>
              </Button>
            </span>
          )
        }
      >
        <ItemList source={members} rows={members.data?.data ?? []}>
          {(row) => <MemberItem key={row.id} {...{ row, team, rights }} />}
        </ItemList>
      </Card>
      {rights.manage && <TeamInvitationsCard team={team} rights={rights} />}
      {isAddingMany && <PeopleDialog target={{ team }} onClose={() => setAddingMany(false)} />}
      {isAdding && (
        <TeamMemberDialog
          team={team}
          refreshes={membershipReads}
          onClose={() => setAdding(false)}
        />
      )}
    </div>
  );
}

function MemberItem({ row, team, rights }: TeamTabProps & { row: TeamMember }) {
  const { user } = useSession();
  const isSelf = row.user_id === user?.id;
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <span dir="auto" className="font-medium [overflow-wrap:anywhere]">
            {row.display_name || row.username}
          </span>
          {row.is_owner && (
            <Badge tone="info">
              <Trans>Owner</Trans>
            </Badge>
          )}
          <ProviderBadge provider={row.by_provider} />
          {!row.is_enabled && (
            <Badge tone="warn">
              <Trans>Account disabled</Trans>
            </Badge>
          )}
          {isSelf && (
            <Badge>
              <Trans>You</Trans>
            </Badge>
          )}
        </ItemTitle>
        <p className="flex flex-wrap gap-x-4 text-muted text-sm">
          <span dir="auto">{row.username}</span>
          <span>
            <Plural value={row.keys} one="1 key" other="# keys" />
          </span>
          <span>
            <Trans>Since</Trans> <Time seconds={Math.floor(row.created_at / 1000)} />
          </span>
        </p>
      </ItemText>
      <ItemActions>
        <MemberRole {...{ row, team, rights }} />
        {user !== null && mayRemoveMember(user, rights, row) && (
          <MemberRemoval {...{ row, team }} isSelf={isSelf} />
        )}
      </ItemActions>
    </ItemRow>
  );
}

/** The role of a member, which admins change in place; the owner stays an admin. */
function MemberRole({ row, team, rights }: TeamTabProps & { row: TeamMember }) {
  const { t } = useLingui();
  const change = useMutation({
    ...api.mutation(setTeamMember, { refreshes: membershipReads }),
    onError: toastError,
  });
  const name = row.username;
  if (!rights.manage || row.is_owner || row.by_provider !== null)
    return <span className="self-center text-muted text-sm">{t(teamRoleLabels[row.role])}</span>;
  return (
    <Select
      controlSize="sm"
      className="w-auto!"
      aria-label={t`Role of ${name}`}
      value={row.role}
      disabled={change.isPending}
      onChange={({ target }) =>
        change.mutate({
          params: { id: readEntityRef(team) },
          body: { user_id: row.user_id, role: target.value as TeamRole },
        })
      }
    >
      {teamRoles.map((role) => (
        <option key={role} value={role}>
          {t(teamRoleLabels[role])}
        </option>
      ))}
    </Select>
  );
}

type MemberRemovalProps = { row: TeamMember; team: TeamTabProps["team"]; isSelf: boolean };

function MemberRemoval({ row, team, isSelf }: MemberRemovalProps) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const { username, keys } = row;
  const teamName = team.name;
  const remove = async () => {
    const input = { params: { id: readEntityRef(team) }, body: { user_id: row.user_id } };
    if (!isSelf) return api.change(removeTeamMember, membershipReads, input);
    // The team no longer exists for who left it: it is not read again.
    await api.change(removeTeamMember, [listTeams], input);
    return navigate({ to: "/teams", state: { message: t`You left ${teamName}.` } });
  };
  return (
    <>
      <Button
        size="sm"
        variant="ghost"
        aria-label={isSelf ? t`Leave ${teamName}` : t`Remove ${username}`}
        onClick={() => setAsking(true)}
      >
        {isSelf ? <Trans>Leave</Trans> : <Trans>Remove</Trans>}
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={isSelf ? <Trans>Leave {teamName}</Trans> : <Trans>Remove {username}</Trans>}
        question={
          isSelf ? (
            <Trans>You no longer see the team, and your keys in it stop at once.</Trans>
          ) : (
            <Trans>
              The member's keys in the team stop at once. Joining again does not enable them.
            </Trans>
          )
        }
        loss={
          keys > 0 && (
            <Plural value={keys} one="1 key stops working." other="# keys stop working." />
          )
        }
        confirmLabel={isSelf ? <Trans>Leave</Trans> : <Trans>Remove</Trans>}
        onConfirm={remove}
      />
    </>
  );
}
