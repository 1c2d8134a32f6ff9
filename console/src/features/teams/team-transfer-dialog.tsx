import { Trans, useLingui } from "@lingui/react/macro";
import {
  getTeam,
  listTeams,
  type Team,
  type TransferSource,
  transferToTeam,
} from "@tollgate/contract/accounts/teams.ts";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { findUserNamed } from "../../components/find-user-named.ts";
import { useIdempotencyKey } from "../../components/forms/idempotency-key.ts";
import { DollarField } from "../../components/forms/quota-field.tsx";
import { defineWholeNumber } from "../../components/forms/whole-number.ts";
import type { TeamRights } from "../../components/teams/team-rights.ts";
import { SelectField } from "../../ui/form/field-choice.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";

type TeamTransferDialogProps = { team: Team; rights: TeamRights; onClose: () => void };

/** Moves quota into the team or out of it, by what the reader may. */
export function TeamTransferDialog({ team, rights, onClose }: TeamTransferDialogProps) {
  const { t } = useLingui();
  const keyFor = useIdempotencyKey();
  const labels: Record<TransferSource, string> = {
    own: t`From your own balance`,
    issuance: t`New quota`,
    team: t`Back to a user`,
  };
  const sources: TransferSource[] = [
    "own",
    ...(rights.issue ? ["issuance" as const] : []),
    ...(rights.administer ? ["team" as const] : []),
  ];
  const form = useContractForm({
    schema: z.object({
      source: z.enum(["own", "issuance", "team"]),
      amount: defineWholeNumber(t`Enter an amount above $0`, 1),
      username: z.string().check(z.trim()),
    }),
    initial: { source: "own", amount: "", username: "" },
    onSubmit: async ({ source, amount, username }) => {
      const user_id =
        source === "team"
          ? await findUserNamed(username, t`No user has this name`, "username")
          : undefined;
      const body = { source, amount, ...(user_id !== undefined && { user_id }) };
      const params = { id: readEntityRef(team) };
      await api.change(transferToTeam, [getTeam, listTeams], {
        params,
        body,
        idempotencyKey: keyFor(body),
      });
      onClose();
    },
  });
  const source = useFieldValue(form, "source");
  return (
    <FormDialog
      form={form}
      title={<Trans>Balance of {team.name}</Trans>}
      submit={<Trans>Move</Trans>}
      onClose={onClose}
    >
      <SelectField
        {...form.field("source")}
        label={t`Where it comes from`}
        choices={sources.map((value) => ({ value, label: labels[value] }))}
      />
      {source === "team" && (
        <TextField {...form.field("username")} label={t`Username`} maxLength={30} required />
      )}
      <DollarField {...form.field("amount")} label={t`Amount`} />
    </FormDialog>
  );
}
