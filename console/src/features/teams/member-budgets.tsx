import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { grantMemberCap } from "@tollgate/contract/accounts/budget-grants.ts";
import {
  listTeamBudgets,
  listTeamCaps,
  removeMemberCap,
  removeTeamCap,
  type TeamBudget,
  type TeamCap,
  updateMemberCap,
  updateTeamCap,
} from "@tollgate/contract/accounts/team-caps.ts";
import { listTeamMembers } from "@tollgate/contract/accounts/teams.ts";
import { Plus } from "lucide-react";
import { useId, useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { AskForMore } from "../../components/budgets/ask-for-more.tsx";
import { BudgetBar } from "../../components/budgets/budget-bar.tsx";
import { BudgetActions, BudgetTitle } from "../../components/budgets/budget-item-parts.tsx";
import { budgetLists } from "../../components/budgets/budget-lists.ts";
import { buildBudgetWindowLabel } from "../../components/budgets/budget-words.ts";
import { GrantDialog } from "../../components/budgets/grant-dialog.tsx";
import { ItemList, ItemRow, ItemText } from "../../components/lists/item-row.tsx";
import { firstPage, ListCard } from "../../components/lists/list-card.tsx";
import { ProviderBadge } from "../../components/teams/provider-badge.tsx";
import type { TeamTabProps } from "../../components/teams/team-rights.ts";
import { toastError } from "../../components/toast-failure.ts";
import { buildOwnQuotaStyle, hasFeature, useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Select } from "../../ui/form/input.tsx";
import { formatQuota } from "../../ui/format.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { ChangeOnly } from "../../ui/may-change.tsx";
import { MenuItem } from "../../ui/menu/menu.tsx";
import type { MemberBudgetForm } from "./member-budget-dialog.tsx";

const MemberBudgetDialog = buildLazyPart(
  async () => (await import("./member-budget-dialog.tsx")).MemberBudgetDialog,
);

/** A budget that each member has, as admins of the team set it and its viewers read it. */
export function EachMemberCard({ team, rights }: TeamTabProps) {
  const [form, setForm] = useState<MemberBudgetForm>();
  const caps = useQuery(api.query(listTeamCaps, { params: { id: readEntityRef(team) } }));
  return (
    <Card
      title={<Trans>Budget for each member</Trans>}
      note={
        <Trans>
          It limits what each member spends with keys of the team, and counts each member
          separately.
        </Trans>
      }
      action={
        rights.manage && (
          <Button
            size="sm"
            variant={rights.administer ? "secondary" : "primary"}
            onClick={() => setForm({ cap: "new" })}
          >
            <Trans>New budget for each member</Trans>
          </Button>
        )
      }
    >
      <ItemList
        source={caps}
        rows={caps.data?.data ?? []}
        empty={<Trans>No budget yet: each member may spend what the team has.</Trans>}
      >
        {(row) => (
          <CapItem
            key={row.id}
            {...{ team, rights }}
            cap={row}
            onEdit={() => setForm({ cap: row })}
          />
        )}
      </ItemList>
      {form !== undefined && (
        <MemberBudgetDialog {...{ team, form }} onClose={() => setForm(undefined)} />
      )}
    </Card>
  );
}

type CapItemProps = TeamTabProps & { cap: TeamCap; onEdit: () => void };

function CapItem({ team, rights, cap, onEdit }: CapItemProps) {
  const { t } = useLingui();
  const style = buildOwnQuotaStyle(useSession().status);
  const { id: cap_id, amount, window, models, note, followers, own } = cap;
  const params = { id: readEntityRef(team) };
  return (
    <ItemRow>
      <ItemText>
        <BudgetTitle row={cap} />
        <p className="text-muted text-sm [overflow-wrap:anywhere]">
          {formatQuota(amount, style)} · {t(buildBudgetWindowLabel(window))}
          {models.length > 0 && <> · {models.join(", ")}</>}
        </p>
        {note && <p className="text-sm [overflow-wrap:anywhere]">{note}</p>}
        <p className="flex flex-wrap gap-x-3 text-muted text-sm">
          <span>
            <Plural value={followers} one="# member follows it" other="# members follow it" />
          </span>
          {own > 0 && (
            <span>
              <Plural value={own} one="# member has another" other="# members have another" />
            </span>
          )}
        </p>
      </ItemText>
      {rights.manage && (
        <BudgetActions
          row={cap}
          onEdit={onEdit}
          onToggle={(enabled) =>
            api.change(updateTeamCap, budgetLists, { params, body: { cap_id, enabled } })
          }
          question={
            <Trans>
              It ends for each member who follows it. What was set for one member alone stays.
            </Trans>
          }
          onDelete={() => api.change(removeTeamCap, budgetLists, { params, body: { cap_id } })}
        />
      )}
    </ItemRow>
  );
}

/** The budgets of all members, or of one; a member sees the own ones. */
export function MemberBudgetsCard({ team, rights }: TeamTabProps) {
  const [form, setForm] = useState<MemberBudgetForm>();
  const [member, setMember] = useState("");
  const [shown, setShown] = useState(firstPage);
  const budgets = useQuery({
    ...api.query(listTeamBudgets, {
      params: { id: readEntityRef(team) },
      query: { ...shown, subject: "member", ...(member !== "" && { user_id: Number(member) }) },
    }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <ListCard
        title={
          rights.see ? <Trans>Budgets of members</Trans> : <Trans>Your budgets in this team</Trans>
        }
        note={
          rights.see ? (
            <Trans>What one member spends with keys of this team.</Trans>
          ) : (
            <Trans>They count your keys in this team. Team admins set them.</Trans>
          )
        }
        action={
          rights.manage && (
            <Button size="sm" onClick={() => setForm({ budget: "new" })}>
              <Trans>New budget for one member</Trans>
            </Button>
          )
        }
        filter={
          rights.see && (
            <MemberFilter
              team={team}
              value={member}
              onChoose={(chosen) => {
                setMember(chosen);
                setShown(firstPage);
              }}
            />
          )
        }
        source={budgets}
        shown={shown}
        onShow={setShown}
        empty={
          !rights.see ? (
            <Trans>No budget limits your keys in this team.</Trans>
          ) : member === "" ? (
            <Trans>No member has a budget.</Trans>
          ) : (
            <Trans>No budget for this member.</Trans>
          )
        }
      >
        {(row) => (
          <MemberBudgetItem
            key={row.id}
            {...{ team, rights }}
            budget={row}
            onEdit={() => setForm({ budget: row })}
          />
        )}
      </ListCard>
      {form !== undefined && (
        <MemberBudgetDialog {...{ team, form }} onClose={() => setForm(undefined)} />
      )}
    </>
  );
}

type MemberFilterProps = {
  team: TeamTabProps["team"];
  value: string;
  onChoose: (userId: string) => void;
};

function MemberFilter({ team, value, onChoose }: MemberFilterProps) {
  const { t } = useLingui();
  const id = useId();
  const members = useQuery(api.query(listTeamMembers, { params: { id: readEntityRef(team) } }));
  return (
    <div className="flex max-w-80 flex-col gap-1">
      <label htmlFor={id} className="text-muted text-xs">
        {t`Member`}
      </label>
      <Select
        id={id}
        controlSize="sm"
        value={value}
        onChange={({ target }) => onChoose(target.value)}
      >
        <option value="">{t`All members`}</option>
        {(members.data?.data ?? []).map(({ user_id, username }) => (
          <option key={user_id} value={user_id}>
            {username}
          </option>
        ))}
      </Select>
    </div>
  );
}

type MemberBudgetItemProps = TeamTabProps & { budget: TeamBudget; onEdit: () => void };

function MemberBudgetItem({ team, rights, budget, onEdit }: MemberBudgetItemProps) {
  const { t } = useLingui();
  const { id: budget_id, subject_name, window, models, note, template_id, cap_id } = budget;
  const params = { id: readEntityRef(team) };
  const { user, status } = useSession();
  const [isGranting, setGranting] = useState(false);
  const grants = rights.manage && hasFeature(status, "budget_grants");
  const isOwn = cap_id !== null && template_id === null;
  return (
    <ItemRow>
      <ItemText>
        <BudgetTitle row={budget}>
          {isOwn && (
            <Badge>
              {rights.see ? <Trans>Set for this member</Trans> : <Trans>Set for you</Trans>}
            </Badge>
          )}
          <ProviderBadge provider={budget.by_provider} />
        </BudgetTitle>
        <p className="text-muted text-sm [overflow-wrap:anywhere]">
          {rights.see && <>{subject_name} · </>}
          {t(buildBudgetWindowLabel(window))}
          {models.length > 0 && <> · {models.join(", ")}</>}
        </p>
        {note && <p className="text-sm [overflow-wrap:anywhere]">{note}</p>}
        <BudgetBar budget={budget} />
        {user?.id === budget.user_id && <AskForMore budget={budget} />}
      </ItemText>
      {rights.manage && budget.by_provider === null && (
        <>
          {isOwn && <FollowButton team={team} budget={budget} />}
          <BudgetActions
            row={{ ...budget, name: `${budget.name} · ${subject_name}` }}
            onEdit={onEdit}
            // With the first change of its own, it leaves the budget of each member.
            canUndo={template_id === null}
            onToggle={(enabled) =>
              api.change(updateMemberCap, budgetLists, { params, body: { budget_id, enabled } })
            }
            more={
              grants && (
                <MenuItem icon={<Plus />} onSelect={() => setGranting(true)}>
                  <Trans>Grant more for this window</Trans>
                </MenuItem>
              )
            }
            question={<Trans>It no longer limits or counts calls of this member.</Trans>}
            onDelete={() =>
              api.change(removeMemberCap, budgetLists, { params, body: { budget_id } })
            }
          />
        </>
      )}
      {grants && budget.by_provider !== null && (
        <ChangeOnly>
          <Button
            size="sm"
            aria-label={t`Grant more for this window: ${budget.name} · ${subject_name}`}
            onClick={() => setGranting(true)}
          >
            <Trans>Grant more for this window</Trans>
          </Button>
        </ChangeOnly>
      )}
      {isGranting && (
        <GrantDialog
          budget={budget}
          onGrant={(given, idempotencyKey) =>
            api.change(grantMemberCap, budgetLists, {
              params,
              body: { budget_id, ...given },
              idempotencyKey,
            })
          }
          onClose={() => setGranting(false)}
        />
      )}
    </ItemRow>
  );
}

/** Back to what each member has: what it counted stays while the window is the same. */
function FollowButton({ team, budget }: { team: TeamTabProps["team"]; budget: TeamBudget }) {
  const { t } = useLingui();
  const { id: budget_id, updated_at, name, subject_name } = budget;
  const follow = useMutation({
    mutationFn: () =>
      api.change(updateMemberCap, budgetLists, {
        params: { id: readEntityRef(team) },
        body: { budget_id, updated_at, follow: true },
      }),
    onError: toastError,
  });
  return (
    <Button
      size="sm"
      busy={follow.isPending}
      aria-label={t`Follow again: ${name} · ${subject_name}`}
      onClick={() => follow.mutate()}
    >
      <Trans>Follow again</Trans>
    </Button>
  );
}
