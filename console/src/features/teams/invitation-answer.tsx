import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  answerInvitation,
  listReceivedInvitations,
  type ReceivedInvitation,
} from "@tollgate/contract/accounts/team-invitations.ts";
import { listTeams } from "@tollgate/contract/accounts/teams.ts";
import { api } from "../../api-queries.ts";
import { toastError } from "../../components/toast-failure.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/toast.tsx";

type InvitationAnswerProps = {
  invitation: ReceivedInvitation;
  /** The secret of a link; without it, the invitation is one of the account's. */
  code?: string;
};

/** Accepting leads to the team; declining is said, and leads to the teams. */
export function InvitationAnswer({ invitation: { id, team_name }, code }: InvitationAnswerProps) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const answer = useMutation({
    mutationFn: (accept: boolean) =>
      api.change(answerInvitation, [listReceivedInvitations, listTeams], {
        body: { ...(code === undefined ? { id } : { code }), accept },
      }),
    onSuccess: async ({ data: { team_id } }) => {
      if (team_id === null) {
        toast(t`Invitation into ${team_name} declined`);
        await navigate({ to: "/teams" });
      } else
        await navigate({
          to: "/teams/$id/{-$tab}",
          params: { id: String(team_id), tab: undefined },
        });
    },
    onError: toastError,
  });
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        variant="primary"
        aria-label={t`Accept: ${team_name}`}
        busy={answer.isPending}
        onClick={() => answer.mutate(true)}
      >
        <Trans>Accept</Trans>
      </Button>
      <Button
        aria-label={t`Decline: ${team_name}`}
        disabled={answer.isPending}
        onClick={() => answer.mutate(false)}
      >
        <Trans>Decline</Trans>
      </Button>
    </div>
  );
}
