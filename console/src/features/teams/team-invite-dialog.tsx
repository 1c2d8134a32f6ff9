import { Trans, useLingui } from "@lingui/react/macro";
import { inviteToTeam, listTeamInvitations } from "@tollgate/contract/accounts/team-invitations.ts";
import { type Team, teamRoles } from "@tollgate/contract/accounts/teams.ts";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { teamRoleHelp, teamRoleLabels } from "../../components/teams/team-words.ts";
import { SelectField } from "../../ui/form/field-choice.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";

type TeamInviteDialogProps = {
  team: Team;
  /** Gets the link to hand over; empty where the gateway told the invited person. */
  onSent: (link: string) => void;
  onClose: () => void;
};

/** Answers alike whether there is such an account. */
export function TeamInviteDialog({ team, onSent, onClose }: TeamInviteDialogProps) {
  const { t } = useLingui();
  const form = useContractForm({
    schema: z.object({
      to: z.string().check(z.trim(), z.minLength(1, t`Enter a username or a mail address`)),
      role: z.enum(teamRoles),
    }),
    initial: { to: "", role: "member" },
    onSubmit: async (body) => {
      const { data } = await api.change(inviteToTeam, [listTeamInvitations], {
        params: { id: readEntityRef(team) },
        body,
      });
      onSent(data.link);
      onClose();
    },
  });
  const chosen = useFieldValue(form, "role");
  const role = teamRoles.find((known) => known === chosen) ?? "member";
  return (
    <FormDialog
      form={form}
      title={<Trans>Invite into {team.name}</Trans>}
      submit={<Trans>Invite</Trans>}
      onClose={onClose}
    >
      <TextField
        {...form.field("to")}
        label={t`Username or mail address`}
        help={t`A user finds the invitation on the Teams page; a mail address gets a link.`}
        maxLength={254}
        required
      />
      <SelectField
        {...form.field("role")}
        label={t`Role`}
        help={t(teamRoleHelp[role])}
        choices={teamRoles.map((value) => ({ value, label: t(teamRoleLabels[value]) }))}
      />
    </FormDialog>
  );
}
