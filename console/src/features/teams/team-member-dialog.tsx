import { Trans, useLingui } from "@lingui/react/macro";
import { setTeamMember, type Team, teamRoles } from "@tollgate/contract/accounts/teams.ts";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { findUserNamed } from "../../components/find-user-named.ts";
import { teamRoleHelp, teamRoleLabels } from "../../components/teams/team-words.ts";
import { SelectField } from "../../ui/form/field-choice.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";

type TeamMemberDialogProps = { team: Team; refreshes: readonly Endpoint[]; onClose: () => void };

/** An administrator of the site adds an account to the team. */
export function TeamMemberDialog({ team, refreshes, onClose }: TeamMemberDialogProps) {
  const { t } = useLingui();
  const form = useContractForm({
    schema: z.object({
      username: z.string().check(z.trim(), z.minLength(1, t`Enter a username`)),
      role: z.enum(teamRoles),
    }),
    initial: { username: "", role: "member" },
    onSubmit: async ({ username, role }) => {
      const user_id = await findUserNamed(username, t`No user has this name`, "username");
      await api.change(setTeamMember, refreshes, {
        params: { id: readEntityRef(team) },
        body: { user_id, role },
      });
      onClose();
    },
  });
  const chosen = useFieldValue(form, "role");
  const role = teamRoles.find((known) => known === chosen) ?? "member";
  return (
    <FormDialog
      form={form}
      title={<Trans>Add member</Trans>}
      submit={<Trans>Add</Trans>}
      onClose={onClose}
    >
      <TextField {...form.field("username")} label={t`Username`} maxLength={30} required />
      <SelectField
        {...form.field("role")}
        label={t`Role`}
        help={t(teamRoleHelp[role])}
        choices={teamRoles.map((value) => ({ value, label: t(teamRoleLabels[value]) }))}
      />
    </FormDialog>
  );
}
