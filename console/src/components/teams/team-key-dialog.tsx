import { Trans, useLingui } from "@lingui/react/macro";
import {
  createTeamToken,
  getTeam,
  listTeamTokens,
  type Team,
} from "@tollgate/contract/accounts/teams.ts";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { fromDateTimeLocal } from "../../ui/form/datetime-local.ts";
import { DateTimeField, SelectField } from "../../ui/form/field-choice.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { useIdempotencyKey } from "../forms/idempotency-key.ts";
import { DollarField } from "../forms/quota-field.tsx";
import type { TeamRights } from "./team-rights.ts";

type TeamKeyDialogProps = {
  team: Team;
  rights: TeamRights;
  onMade: (key: string) => void;
  onClose: () => void;
};

/** Makes a key that the team pays for: of the reader, or of a service. */
export function TeamKeyDialog({ team, rights, onMade, onClose }: TeamKeyDialogProps) {
  const { t } = useLingui();
  const keyFor = useIdempotencyKey();
  const holders = [
    ...(rights.use ? [{ value: "own", label: t`Me` }] : []),
    ...(rights.manage ? [{ value: "service", label: t`A service` }] : []),
  ];
  const form = useContractForm({
    schema: z.object({
      name: z.string().check(z.trim(), z.minLength(1, t`Name is required`)),
      holder: z.string(),
      models: z.string().check(z.trim()),
      limit: z.string().check(z.trim(), z.regex(/^\d{0,15}$/, t`Enter an amount such as 12.50`)),
      expires: z.string(),
    }),
    initial: { name: "", holder: holders[0]?.value ?? "own", models: "", limit: "", expires: "" },
    onSubmit: async ({ name, holder, models, limit, expires }) => {
      const body = {
        ...{ name, service: holder === "service" },
        ...{ remain_quota: Number(limit), unlimited_quota: limit === "" },
        expired_time: fromDateTimeLocal(expires) ?? -1,
        ...(models !== "" && { models: models.split(/[,\s]+/).join(",") }),
      };
      const { data } = await api.change(createTeamToken, [listTeamTokens, getTeam], {
        params: { id: readEntityRef(team) },
        body,
        idempotencyKey: keyFor(body),
      });
      onMade(data.key);
    },
  });
  return (
    <FormDialog
      form={form}
      title={<Trans>New key of {team.name}</Trans>}
      submit={<Trans>Create key</Trans>}
      onClose={onClose}
    >
      <TextField {...form.field("name")} label={t`Name`} maxLength={50} required />
      <SelectField
        {...form.field("holder")}
        label={t`Who uses it`}
        help={t`A service key belongs to the team and keeps working when you leave.`}
        choices={holders}
      />
      <DollarField
        {...form.field("limit")}
        label={t`Limit`}
        note={<Trans>Leave empty for as much as the team has.</Trans>}
      />
      <TextField
        {...form.field("models")}
        label={t`Models`}
        help={t`Separate names with commas. Leave empty for every model of the team.`}
        mono
      />
      <DateTimeField
        {...form.field("expires")}
        label={t`Expiration Time`}
        help={t`In your time zone. Empty: never.`}
      />
    </FormDialog>
  );
}
