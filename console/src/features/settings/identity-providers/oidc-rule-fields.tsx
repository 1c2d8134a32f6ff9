import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { budgetWindows } from "@tollgate/contract/accounts/budget-kinds.ts";
import { claimRulesMax } from "@tollgate/contract/accounts/oidc-providers.ts";
import { getTeam, listTeams, teamRoles } from "@tollgate/contract/accounts/teams.ts";
import { listGroups } from "@tollgate/contract/accounts/users.ts";
import { Plus, X } from "lucide-react";
import { useId } from "react";
import { api } from "../../../api-queries.ts";
import { buildBudgetWindowLabel } from "../../../components/budgets/budget-words.ts";
import { EntityCombobox, offeredMax } from "../../../components/forms/entity-combobox.tsx";
import { teamRoleLabels } from "../../../components/teams/team-words.ts";
import { Button } from "../../../ui/button.tsx";
import type { FieldOf } from "../../../ui/form/form-contract.ts";
import { FieldHelp, useField } from "../../../ui/form/form-field.tsx";
import { FilterField, Input, Select } from "../../../ui/form/input.tsx";
import { buildDraftRule, type DraftRule } from "./oidc-form-values.ts";

/**
 * The rules from claims to roles, price groups and teams, in their order: the first that gives a
 * role decides the role.
 */
export function OidcRuleFields({ name }: FieldOf<DraftRule[]>) {
  const { t } = useLingui();
  const help = t`The first matching rule sets the role, the first with a group the group, and the first for a team the role there. A person who no longer matches loses what the rule gave.`;
  const { id, field, error } = useField<DraftRule[]>(name, { help });
  const groupsId = useId();
  const groups = useQuery(api.query(listGroups));
  const rules = field.value;
  const set = (changed: DraftRule) =>
    field.onChange(rules.map((rule) => (rule.key === changed.key ? changed : rule)));
  return (
    <fieldset
      aria-describedby={`${id}-${error === undefined ? "help" : "error"}`}
      className="flex flex-col gap-3"
    >
      <legend className="mb-1.5 font-medium">
        <Trans>Rules for claims</Trans>
      </legend>
      <datalist id={groupsId}>
        {(groups.data?.data ?? []).map((group) => (
          <option key={group} value={group} />
        ))}
      </datalist>
      {rules.map((rule, index) => (
        <RuleRow
          key={rule.key}
          rule={rule}
          place={index + 1}
          groupsId={groupsId}
          onChange={set}
          onRemove={() => field.onChange(rules.filter(({ key }) => key !== rule.key))}
        />
      ))}
      {rules.length < claimRulesMax && (
        <div>
          <Button
            size="sm"
            icon={<Plus />}
            onClick={() => field.onChange([...rules, buildDraftRule()])}
          >
            <Trans>Add a rule</Trans>
          </Button>
        </div>
      )}
      <FieldHelp id={id} help={help} error={error} />
    </fieldset>
  );
}

interface RuleRowProps {
  rule: DraftRule;
  /** `place` comes from 1. */
  place: number;
  groupsId: string;
  onChange: (rule: DraftRule) => void;
  onRemove: () => void;
}

function RuleRow({ rule, place, groupsId, onChange, onRemove }: RuleRowProps) {
  const { t } = useLingui();
  const text = (name: "claim" | "value" | "group", label: string, isMono: boolean) => (
    <FilterField label={label}>
      {(id) => (
        <Input
          id={id}
          controlSize="sm"
          className={isMono ? "font-mono" : ""}
          maxLength={name === "group" ? 64 : 200}
          autoComplete="off"
          list={name === "group" ? groupsId : undefined}
          value={rule[name]}
          onChange={({ target }) => onChange({ ...rule, [name]: target.value })}
        />
      )}
    </FilterField>
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] items-end gap-2 rounded-md border border-line p-3">
      {text("claim", t`Claim ${place}`, true)}
      {text("value", t`Value ${place}`, true)}
      <Button
        size="sm"
        variant="ghost"
        aria-label={t`Remove rule ${place}`}
        onClick={onRemove}
        icon={<X />}
      />
      <FilterField label={t`Role ${place}`}>
        {(id) => (
          <Select
            id={id}
            controlSize="sm"
            value={rule.role}
            onChange={({ target }) =>
              onChange({ ...rule, role: target.value as DraftRule["role"] })
            }
          >
            <option value="">{t`No role`}</option>
            <option value="1">{t`User`}</option>
            <option value="10">{t`Administrator`}</option>
          </Select>
        )}
      </FilterField>
      {text("group", t`Group ${place}`, false)}
      <div className="col-span-2 grid grid-cols-subgrid items-end gap-2">
        <TeamFields rule={rule} place={place} onChange={onChange} />
      </div>
    </div>
  );
}

/** The team of a rule, and what its people are and may spend there. */
function TeamFields({ rule, place, onChange }: Omit<RuleRowProps, "groupsId" | "onRemove">) {
  const { t } = useLingui();
  const windows = [...new Set([...budgetWindows, rule.window])];
  return (
    <>
      <FilterField label={t`Team ${place}`}>
        {(id) => (
          <EntityCombobox
            id={id}
            label={t`Team ${place}`}
            placeholder={t`No team`}
            kind="team"
            value={rule.team}
            onChange={(team) => onChange({ ...rule, team })}
            search={async (keyword, signal) => {
              const query = { keyword, size: offeredMax };
              const { data } = await api.call(listTeams, { query, signal });
              return data.map(({ uuid, name }) => ({ id: uuid, text: name }));
            }}
            readName={async (id) => (await api.call(getTeam, { params: { id } })).data.name}
          />
        )}
      </FilterField>
      {rule.team !== "" && (
        <>
          <FilterField label={t`Role in the team ${place}`}>
            {(id) => (
              <Select
                id={id}
                controlSize="sm"
                value={rule.team_role}
                onChange={({ target }) =>
                  onChange({ ...rule, team_role: target.value as DraftRule["team_role"] })
                }
              >
                {teamRoles.map((role) => (
                  <option key={role} value={role}>
                    {t(teamRoleLabels[role])}
                  </option>
                ))}
              </Select>
            )}
          </FilterField>
          <FilterField label={t`Budget in $ ${place}`}>
            {(id) => (
              <Input
                id={id}
                controlSize="sm"
                inputMode="decimal"
                autoComplete="off"
                maxLength={16}
                placeholder={t`None`}
                value={rule.budget}
                onChange={({ target }) => onChange({ ...rule, budget: target.value })}
              />
            )}
          </FilterField>
          <FilterField label={t`Resets ${place}`}>
            {(id) => (
              <Select
                id={id}
                controlSize="sm"
                disabled={rule.budget.trim() === ""}
                value={rule.window}
                onChange={({ target }) => onChange({ ...rule, window: target.value })}
              >
                {windows.map((window) => (
                  <option key={window} value={window}>
                    {t(buildBudgetWindowLabel(window))}
                  </option>
                ))}
              </Select>
            )}
          </FilterField>
        </>
      )}
    </>
  );
}
