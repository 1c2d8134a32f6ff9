import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { createTeam, listTeams } from "@tollgate/contract/accounts/teams.ts";
import * as z from "zod/mini";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { findUserNamed } from "../../components/find-user-named.ts";
import { useCreation } from "../../components/forms/use-creation.ts";
import { NewTeamFields } from "../../components/teams/new-team-fields.tsx";
import { mayAdminister, useSession } from "../../session.ts";
import { TextAreaField, TextField } from "../../ui/form/field-text.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";

/** Makes a team with an empty balance. A user's own team has the user's group. */
export function TeamDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const create = useCreation(createTeam, [listTeams]);
  const { user } = useSession();
  const isSite = mayAdminister(user);
  const form = useContractForm({
    schema: z.object({
      name: z.string().check(z.trim(), z.minLength(1, t`Name is required`)),
      owner: z.string().check(z.trim(), z.minLength(1, t`Enter a username`)),
      group: z.string(),
      note: z.string().check(z.trim()),
    }),
    initial: { name: "", owner: user?.username ?? "", group: "default", note: "" },
    onSubmit: async ({ owner, group, ...values }) => {
      const given = isSite
        ? { group, owner_id: await findUserNamed(owner, t`No user has this name`, "owner") }
        : {};
      const { data } = await create({ ...values, ...given });
      onClose();
      await navigate({
        to: "/teams/$id/{-$tab}",
        params: { id: readEntityRef(data), tab: undefined },
      });
    },
  });
  return (
    <FormDialog
      form={form}
      title={<Trans>New team</Trans>}
      submit={<Trans>Create team</Trans>}
      onClose={onClose}
    >
      <TextField {...form.field("name")} label={t`Name`} maxLength={60} required />
      {isSite && <NewTeamFields />}
      <TextAreaField {...form.field("note")} label={t`Note`} rows={2} />
    </FormDialog>
  );
}
