import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { listTeamBudgets, listTeamCaps } from "@tollgate/contract/accounts/team-caps.ts";
import { inviteToTeam, listTeamInvitations } from "@tollgate/contract/accounts/team-invitations.ts";
import {
  deleteTeam,
  getTeam,
  listTeamMembers,
  listTeams,
  type Team,
  teamStatus,
  updateTeam,
} from "@tollgate/contract/accounts/teams.ts";
import {
  buildEachTokenLimit,
  type TokenLimitName,
  tokenLimitMax,
} from "@tollgate/contract/accounts/token-restrictions.ts";
import { useState } from "react";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { buildEntityIds, readEntityRef } from "../../compat/entity-ids.ts";
import { GroupField } from "../../components/forms/group-field.tsx";
import { defineWholeNumber, numberText } from "../../components/forms/whole-number.ts";
import { tokenLimits } from "../../components/keys/token-limits.tsx";
import { ItemToggle } from "../../components/lists/item-toggle.tsx";
import { ManagedBadge } from "../../components/managed-badge.tsx";
import { ManagedNotice } from "../../components/managed-notice.tsx";
import { Quota } from "../../components/quota.tsx";
import type { TeamTabProps } from "../../components/teams/team-rights.ts";
import { isRoot, useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CheckboxField } from "../../ui/form/field-choice.tsx";
import { NumberField, TextAreaField, TextField } from "../../ui/form/field-text.tsx";
import { Form } from "../../ui/form/form.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { FilterField, Select } from "../../ui/form/input.tsx";
import { formatInteger } from "../../ui/format.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { toast } from "../../ui/toast.tsx";

const TeamManagementKeys = buildLazyPart(
  async () => (await import("./team-management-keys.tsx")).TeamManagementKeys,
);

const teamReads = [getTeam, listTeams] as const;

/**
 * `TeamSettings` holds what team admins decide; group, models and status are for administrators of
 * the site.
 */
export function TeamSettings({ team, rights }: TeamTabProps) {
  return (
    <div className="flex flex-col gap-4">
      <OwningFile {...{ team, rights }} />
      {/* A saved version begins the form again. */}
      <TeamForm key={team.updated_at} {...{ team, rights }} />
      {rights.manage && <TeamManagementKeys team={team} />}
      {rights.own && <HandOverCard team={team} rights={rights} />}
      {rights.administer && <StatusCard team={team} />}
      {rights.own && team.managed_by === "" && <DeleteCard team={team} />}
    </div>
  );
}

/** `OwningFile` says why the team is not changed here. Administrators of the site take it over. */
function OwningFile({ team, rights }: TeamTabProps) {
  const { name, managed_by, updated_at } = team;
  if (!rights.administer) return <ManagedBadge by={managed_by} />;
  return (
    <ManagedNotice
      name={name}
      file={managed_by}
      onTakeOver={() =>
        api.change(updateTeam, [...teamReads, listTeamCaps, listTeamBudgets], {
          body: { ...buildEntityIds(team), managed_by: "", updated_at },
        })
      }
    />
  );
}

function TeamForm({ team, rights }: TeamTabProps) {
  const { t } = useLingui();
  const { name, note, members_see_balance, group, models, updated_at } = team;
  const readLimitMessage = (limit: TokenLimitName) => {
    const shown = formatInteger(tokenLimitMax[limit]);
    return t`Enter a whole number from 0 to ${shown}`;
  };
  const form = useContractForm({
    schema: z.object({
      name: z.string().check(z.trim(), z.minLength(1, t`Name is required`)),
      note: z.string().check(z.trim()),
      members_see_balance: z.boolean(),
      ...buildEachTokenLimit((limit) =>
        defineWholeNumber(readLimitMessage(limit), 0, tokenLimitMax[limit]),
      ),
      group: z.string(),
      models: z.string().check(z.trim()),
    }),
    initial: {
      ...buildEachTokenLimit((limit) => numberText(team[limit])),
      name,
      note,
      members_see_balance,
      group,
      models: models.replaceAll(",", ", "),
    },
    onSubmit: async ({ name, note, members_see_balance, models, ...others }) => {
      const values = { name, note, members_see_balance };
      const administered = {
        ...others,
        models: models
          .split(/[,\s]+/)
          .filter(Boolean)
          .join(","),
      };
      const body = {
        ...buildEntityIds(team),
        ...values,
        ...(rights.administer && administered),
        updated_at,
      };
      await api.change(updateTeam, teamReads, { body });
      toast(t`Saved. Applies from the next call.`);
    },
  });
  return (
    <Form
      form={form}
      submit={<Trans>Save</Trans>}
      submitting={<Trans>Updating...</Trans>}
      cancelTo="/teams"
      isReadOnly={team.managed_by !== ""}
      onReload={() => void api.refresh(getTeam)}
    >
      <TextField {...form.field("name")} label={t`Name`} maxLength={60} required />
      <TextAreaField
        {...form.field("note")}
        label={t`Note`}
        help={t`Only team admins and administrators see it.`}
        rows={2}
      />
      <CheckboxField
        {...form.field("members_see_balance")}
        label={t`Members see the balance`}
        help={t`Team admins and viewers always see it.`}
      />
      {rights.administer && (
        <>
          <div className="grid gap-5 sm:grid-cols-3">
            {tokenLimits.map(({ name, label }) => (
              <NumberField key={name} {...form.field(name)} label={t(label)} />
            ))}
          </div>
          <p className="-mt-3 text-muted text-sm">
            <Trans>Limits for all keys of the team together. 0 means no limit.</Trans>
          </p>
          <GroupField
            {...form.field("group")}
            help={t`Decides which channels serve its keys and at which price ratio.`}
          />
          <TextField
            {...form.field("models")}
            label={t`Models`}
            help={t`Separate names with commas. Leave empty for every model of the group.`}
            mono
          />
        </>
      )}
    </Form>
  );
}

function HandOverCard({ team, rights }: TeamTabProps) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState("");
  const [isAsking, setAsking] = useState(false);
  const members = useQuery(api.query(listTeamMembers, { params: { id: readEntityRef(team) } }));
  const rows = members.data?.data ?? [];
  const owner = rows.find((row) => row.is_owner);
  const others = rows.filter((row) => row.role === "admin" && !row.is_owner && row.is_enabled);
  const next = others.find((row) => String(row.user_id) === chosen);
  const ownerName = owner?.username ?? "";
  const nextName = next?.username ?? "";
  // Administrators of the site hand over at once; owners offer.
  const handOver = async () => {
    if (rights.administer) {
      const body = { ...buildEntityIds(team), owner_id: Number(chosen) };
      return api.change(updateTeam, [...teamReads, listTeamMembers], { body });
    }
    const params = { id: readEntityRef(team) };
    await api.change(inviteToTeam, [listTeamInvitations], {
      params,
      body: { to: nextName, role: "owner" },
    });
    return toast(t`Offered to ${nextName}`);
  };
  return (
    <Card
      title={<Trans>Owner</Trans>}
      note={<Trans>The owner and administrators hand the team over or delete it.</Trans>}
      className="max-w-xl"
    >
      {owner !== undefined && (
        <p className="mb-3">
          <Trans>Now: {ownerName}</Trans>
        </p>
      )}
      {others.length === 0 ? (
        <p className="text-muted text-sm">
          <Trans>Make another member a team admin first, to hand the team over.</Trans>
        </p>
      ) : (
        <div className="flex flex-wrap items-end gap-2">
          <FilterField label={t`New owner`}>
            {(id) => (
              <Select
                id={id}
                className="w-auto!"
                value={next === undefined ? "" : chosen}
                onChange={({ target }) => setChosen(target.value)}
              >
                <option value="">{t`Choose a team admin`}</option>
                {others.map((row) => (
                  <option key={row.id} value={row.user_id}>
                    {row.username}
                  </option>
                ))}
              </Select>
            )}
          </FilterField>
          <Button disabled={next === undefined} onClick={() => setAsking(true)}>
            <Trans>Hand over</Trans>
          </Button>
        </div>
      )}
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t`Hand over ${team.name}`}
        question={
          rights.administer ? (
            <Trans>
              {nextName} becomes the owner. {ownerName} stays a team admin.
            </Trans>
          ) : (
            <Trans>{nextName} becomes the owner on accepting, and you stay a team admin.</Trans>
          )
        }
        confirmLabel={<Trans>Hand over</Trans>}
        variant="primary"
        onConfirm={handOver}
      />
    </Card>
  );
}

function StatusCard({ team }: { team: Team }) {
  const isEnabled = team.status === teamStatus.enabled;
  return (
    <Card
      title={<Trans>Status</Trans>}
      note={
        isEnabled ? (
          <Trans>Disabling refuses all calls with keys of the team at once.</Trans>
        ) : (
          <Trans>All calls with keys of the team are refused.</Trans>
        )
      }
      className="max-w-xl"
    >
      <ItemToggle
        name={team.name}
        isEnabled={isEnabled}
        onToggle={(next) =>
          api.change(updateTeam, teamReads, {
            body: {
              ...buildEntityIds(team),
              status: next ? teamStatus.enabled : teamStatus.disabled,
            },
          })
        }
      />
    </Card>
  );
}

function DeleteCard({ team }: { team: Team }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const { name, balance } = team;
  // Only root bears what a team owes; for all others the gateway refuses.
  const debt = isRoot(useSession().user) ? (team.debt ?? 0) : 0;
  const remove = async () => {
    // The team is not read again: it no longer exists.
    await api.change(deleteTeam, [listTeams], {
      params: { id: readEntityRef(team) },
      query: debt > 0 ? { write_off: "true" } : {},
    });
    await navigate({ to: "/teams", state: { message: t`${name} is deleted.` } });
  };
  return (
    <Card
      title={<Trans>Delete team</Trans>}
      note={<Trans>Its logs stay. You cannot delete a team that has debts or running calls.</Trans>}
      className="max-w-xl"
    >
      <Button onClick={() => setAsking(true)}>
        <Trans>Delete team</Trans>
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t`Delete ${name}`}
        question={
          <Trans>
            All keys of the team stop at once, and its balance goes back to the operator.
          </Trans>
        }
        loss={
          debt > 0 ? (
            <Trans>
              The team owes <Quota units={debt} isOwn />, which is written off.
            </Trans>
          ) : (
            balance !== null &&
            balance > 0 && (
              <Trans>
                The team loses <Quota units={balance} isOwn />.
              </Trans>
            )
          )
        }
        confirmLabel={<Trans>Delete</Trans>}
        onConfirm={remove}
      />
    </Card>
  );
}
