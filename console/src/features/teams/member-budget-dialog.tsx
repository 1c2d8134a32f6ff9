import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  createMemberCap,
  createTeamCap,
  type TeamBudget,
  type TeamCap,
  updateMemberCap,
  updateTeamCap,
} from "@tollgate/contract/accounts/team-caps.ts";
import { listTeamMembers, type Team } from "@tollgate/contract/accounts/teams.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import {
  type BudgetFormOutput,
  buildBudget,
  buildBudgetForm,
  defineBudgetFormSchema,
  writeTerms,
} from "../../components/budgets/budget-form-values.ts";
import { budgetLists } from "../../components/budgets/budget-lists.ts";
import {
  BudgetTermsFields,
  useTermsMessages,
} from "../../components/budgets/budget-terms-fields.tsx";
import { useIdempotencyKey } from "../../components/forms/idempotency-key.ts";
import { SelectField } from "../../ui/form/field-choice.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";

/** `MemberBudgetForm` says what the form makes or changes: for every member, or for one. */
export type MemberBudgetForm = { cap: TeamCap | "new" } | { budget: TeamBudget | "new" };
type MemberBudgetDialogProps = { team: Team; form: MemberBudgetForm; onClose: () => void };

const findEdited = (form: MemberBudgetForm): TeamCap | TeamBudget | undefined => {
  const edited = "cap" in form ? form.cap : form.budget;
  return edited === "new" ? undefined : edited;
};

/** A budget of each member, or of one member alone. */
export function MemberBudgetDialog({ team, form: wanted, onClose }: MemberBudgetDialogProps) {
  const { t } = useLingui();
  const keyFor = useIdempotencyKey();
  const edited = findEdited(wanted);
  const isForOne = "budget" in wanted && edited === undefined;
  const holder = { subject: "member", name: "" } as const;
  const form = useContractForm({
    schema: defineBudgetFormSchema(
      { subject: t`Choose a member`, ...useTermsMessages() },
      isForOne,
    ),
    initial:
      edited === undefined
        ? buildBudget(holder)
        : buildBudgetForm({
            counts_team_keys: false,
            measure: "quota",
            ...edited,
            subject: "member",
            subject_name: "",
          }),
    onSubmit: async (values: BudgetFormOutput) => {
      await save(team, wanted, values, keyFor);
      onClose();
    },
  });
  const window = useFieldValue(form, "window");
  return (
    <FormDialog
      form={form}
      title={<DialogTitle form={wanted} />}
      submit={<Trans>Save</Trans>}
      onClose={onClose}
    >
      <TextField {...form.field("name")} label={t`Name`} maxLength={60} />
      {isForOne && <MemberField team={team} name={form.field("subject_name").name} />}
      {"cap" in wanted && <CapNote team={team} cap={wanted.cap} />}
      <BudgetTermsFields
        subject="member"
        window={window}
        zone={edited?.zone}
        isChange={edited !== undefined}
      />
      {"budget" in wanted && wanted.budget !== "new" && wanted.budget.template_id !== null && (
        <p className="text-muted text-sm">
          <Trans>
            Once you change it here, later changes to the budget for each member no longer reach it.
          </Trans>
        </p>
      )}
    </FormDialog>
  );
}

function DialogTitle({ form }: { form: MemberBudgetForm }) {
  if ("cap" in form)
    return form.cap === "new" ? (
      <Trans>New budget for each member</Trans>
    ) : (
      <Trans>Edit the budget for each member</Trans>
    );
  if (form.budget === "new") return <Trans>New budget for one member</Trans>;
  const { subject_name } = form.budget;
  return <Trans>Edit the budget of {subject_name}</Trans>;
}

/** Whom the form reaches, before it is sent. */
function CapNote({ team: { members }, cap }: { team: Team; cap: TeamCap | "new" }) {
  return (
    <p className="text-muted text-sm">
      {cap === "new" ? (
        <Plural
          value={members}
          one="The member of the team gets this budget at once, and so does everyone who joins. It counts from now on."
          other="Each of the # members gets this budget at once, and so does everyone who joins. It counts from now on."
        />
      ) : (
        <Plural
          value={cap.followers}
          one="# member follows it and gets the change at once."
          other="# members follow it and get the change at once."
        />
      )}
    </p>
  );
}

function MemberField({ team, name }: { team: Team; name: string }) {
  const { t } = useLingui();
  const members = useQuery(api.query(listTeamMembers, { params: { id: readEntityRef(team) } }));
  const rows = members.data?.data ?? [];
  return (
    <SelectField
      name={name}
      label={t`Member`}
      help={members.error?.message ?? ""}
      choices={[
        { value: "", label: t`Choose a member` },
        ...rows.map(({ user_id, username }) => ({ value: String(user_id), label: username })),
      ]}
    />
  );
}

async function save(
  team: Team,
  form: MemberBudgetForm,
  values: BudgetFormOutput,
  keyFor: ReturnType<typeof useIdempotencyKey>,
): Promise<void> {
  const terms = writeTerms(values);
  const params = { id: readEntityRef(team) };
  if ("cap" in form) {
    if (form.cap === "new") {
      await api.change(createTeamCap, budgetLists, {
        params,
        body: terms,
        idempotencyKey: keyFor(terms),
      });
      return;
    }
    const { id: cap_id, updated_at } = form.cap;
    await api.change(updateTeamCap, budgetLists, {
      params,
      body: { ...terms, cap_id, updated_at },
    });
    return;
  }
  if (form.budget === "new") {
    const body = { ...terms, user_id: Number(values.subject_name) };
    await api.change(createMemberCap, budgetLists, { params, body, idempotencyKey: keyFor(body) });
    return;
  }
  const { id: budget_id, updated_at } = form.budget;
  await api.change(updateMemberCap, budgetLists, {
    params,
    body: { ...terms, budget_id, updated_at },
  });
}
