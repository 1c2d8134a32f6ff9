import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  listTeamInvitations,
  resendTeamInvitation,
  type TeamInvitation,
  withdrawTeamInvitation,
} from "@tollgate/contract/accounts/team-invitations.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { ShownOnce } from "../../components/keys/shown-once.tsx";
import {
  ItemActions,
  ItemList,
  ItemRow,
  ItemText,
  ItemTitle,
} from "../../components/lists/item-row.tsx";
import type { TeamTabProps } from "../../components/teams/team-rights.ts";
import { teamRoleLabels } from "../../components/teams/team-words.ts";
import { toastError } from "../../components/toast-failure.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";

const TeamInviteDialog = buildLazyPart(
  async () => (await import("./team-invite-dialog.tsx")).TeamInviteDialog,
);

/**
 * `TeamInvitationsCard` lists the people who are invited and have not answered yet, for the admins
 * of the team.
 */
export function TeamInvitationsCard({ team, rights }: TeamTabProps) {
  const { t } = useLingui();
  const [isInviting, setInviting] = useState(false);
  const [link, setLink] = useState("");
  const params = { id: readEntityRef(team) };
  const invitations = useQuery(api.query(listTeamInvitations, { params }));
  const take = (next: string) => {
    // A site that does not know its own address names none.
    setLink(next === "" ? "" : new URL(next, window.location.origin).href);
    if (next === "") toast(t`Invitation sent`);
  };
  return (
    <Card
      title={<Trans>Invitations</Trans>}
      note={<Trans>Valid for seven days. Enter a username or a mail address.</Trans>}
      action={
        <Button
          variant={rights.administer ? "secondary" : "primary"}
          size="sm"
          onClick={() => setInviting(true)}
        >
          <Trans>Invite</Trans>
        </Button>
      }
    >
      {link !== "" && (
        <div className="mb-3">
          <p className="mb-2">
            <Trans>This site sends no mail. Give this link to the person whom you invite:</Trans>
          </p>
          <ShownOnce secret={link} copyLabel={t`Copy link`} />
        </div>
      )}
      <ItemList
        source={invitations}
        rows={invitations.data?.data ?? []}
        empty={<Trans>No open invitations.</Trans>}
      >
        {(row) => <InvitationItem key={row.id} row={row} team={team} onSent={take} />}
      </ItemList>
      {isInviting && (
        <TeamInviteDialog team={team} onSent={take} onClose={() => setInviting(false)} />
      )}
    </Card>
  );
}

type InvitationItemProps = {
  row: TeamInvitation;
  team: TeamTabProps["team"];
  onSent: (link: string) => void;
};

function InvitationItem({ row, team, onSent }: InvitationItemProps) {
  const { t } = useLingui();
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const { to, role, expires_at, invited_by } = row;
  const input = { params: { id: readEntityRef(team) }, body: { invitation_id: row.id } };
  const resend = async () => {
    setBusy(true);
    await api
      .change(resendTeamInvitation, [listTeamInvitations], input)
      .then(({ data }) => onSent(data.link))
      .catch(toastError);
    setBusy(false);
  };
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <span dir="auto" className="font-medium [overflow-wrap:anywhere]">
            {to}
          </span>
          <Badge>{role === "owner" ? t`Owner` : t(teamRoleLabels[role])}</Badge>
        </ItemTitle>
        <p className="text-muted text-sm">
          <Trans>Invited by {invited_by}</Trans> · <Trans>Ends</Trans>{" "}
          <Time seconds={Math.floor(expires_at / 1000)} />
        </p>
      </ItemText>
      <ItemActions>
        <Button
          size="sm"
          busy={isBusy}
          aria-label={t`Send again to ${to}`}
          onClick={() => void resend()}
        >
          <Trans>Send again</Trans>
        </Button>
        <Button
          size="sm"
          variant="ghost"
          aria-label={t`Withdraw ${to}`}
          onClick={() => setAsking(true)}
        >
          <Trans>Withdraw</Trans>
        </Button>
      </ItemActions>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t`Withdraw ${to}`}
        question={<Trans>The invitation and its link end at once.</Trans>}
        confirmLabel={<Trans>Withdraw</Trans>}
        onConfirm={() => api.change(withdrawTeamInvitation, [listTeamInvitations], input)}
      />
    </ItemRow>
  );
}
