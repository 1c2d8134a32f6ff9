/** SQL on the caps that a team gives its members. */
import { budgetsPerSubjectMax } from "@tollgate/contract/accounts/budgets.ts";
import { teamCapsMax } from "@tollgate/contract/accounts/team-caps.ts";
import type { RawBuilder } from "kysely";
import { sql as raw } from "kysely";
import { planMemberCaps } from "../../money/holds/inherited-budgets.ts";
import type { Database, Write } from "../../storage/database.ts";
import { planFewerRows } from "../../storage/rows-per-user.ts";
import type { BudgetTemplateColumns, TemplateTerms } from "../budgets/budget-template-store.ts";

/**
 * `TeamCapRow` comes with the numbers of budgets that follow it, and of those that were changed for
 * one member.
 */
export type TeamCapRow = TemplateTerms & { followers: number; own: number };

export type TeamCapStore = ReturnType<typeof createTeamCapStore>;

export function createTeamCapStore({
  sql,
  read,
  dialect,
}: Pick<Database, "sql" | "read" | "dialect">) {
  const ofTeam = (teamId: number) => {
    const given = (follows: RawBuilder<boolean>) =>
      sql
        .selectFrom("budgets")
        .innerJoin("team_members", "team_members.id", "budgets.subject_id")
        .where("budgets.subject", "=", "member")
        .where("team_members.left_at", "is", null)
        .where(raw<boolean>`budgets.cap_id = budget_templates.id`)
        .where(follows)
        .select(({ fn }) => fn.countAll<number>().as("count"));
    return sql
      .selectFrom("budget_templates")
      .selectAll()
      .where("team_id", "=", teamId)
      .select([
        given(raw<boolean>`budgets.template_id is not null`).as("followers"),
        given(raw<boolean>`budgets.template_id is null`).as("own"),
      ]);
  };
  const count = (row: TemplateTerms & Record<"followers" | "own", number | null>): TeamCapRow => ({
    ...row,
    followers: Number(row.followers),
    own: Number(row.own),
  });

  return {
    all: async (teamId: number): Promise<TeamCapRow[]> =>
      (await read(ofTeam(teamId).orderBy("id"))).map(count),

    async find(
      teamId: number,
      cap: { id: number } | { uuid: string },
    ): Promise<TeamCapRow | undefined> {
      const found = ofTeam(teamId);
      const [row] = await read(
        "id" in cap ? found.where("id", "=", cap.id) : found.where("uuid", "=", cap.uuid),
      );
      return row && count(row);
    },

    /**
     * `insert` adds a budget for each member. Misses where a member has as many as there may be:
     * none stays without the cap.
     */
    insert(row: BudgetTemplateColumns & { team_id: number }): Write[] {
      const caps = sql
        .selectFrom("budget_templates")
        .where("team_id", "=", row.team_id)
        .select(({ fn }) => fn.countAll<number>().as("count"));
      const fullMember = raw<boolean>`exists (
        select 1 from team_members where team_id = ${row.team_id} and left_at is null and ${budgetsPerSubjectMax} <= (
          select count(*) from budgets where subject = 'member' and subject_id = team_members.id))`;
      return [
        ...planFewerRows({ sql }, { teamId: row.team_id }, caps, {
          ...{ max: teamCapsMax, missed: "budget_templates_full" },
        }),
        {
          query: sql
            .updateTable("teams")
            .set(({ ref }) => ({ status: ref("status") }))
            .where("id", "=", row.team_id)
            .where(raw<boolean>`not ${fullMember}`),
          rows: 1,
          missed: "budgets_full",
        },
        {
          query: sql.insertInto("budget_templates").values(row),
          rows: 1,
          conflict: { budget_templates_external_id: "external_id_taken" },
        },
        ...planMemberCaps(
          { sql, dialect },
          { teamId: row.team_id, templateUuid: row.uuid },
          row.created_at,
        ),
      ];
    },

    /**
     * `remove` ends what follows the cap; what was changed for one member alone is a cap of that
     * member from now on.
     */
    remove: ({ id }: TemplateTerms): Write[] => [
      {
        query: sql.deleteFrom("budget_templates").where("id", "=", id),
        rows: 1,
        missed: "team_cap_not_found",
      },
      { query: sql.deleteFrom("budgets").where("template_id", "=", id) },
      { query: sql.updateTable("budgets").set({ cap_id: null }).where("cap_id", "=", id) },
    ],

    /** Misses where the cap changed after it was read: what follows it has its terms. */
    requireUnchanged: ({ id, updated_at }: TemplateTerms): Write => ({
      query: sql
        .updateTable("budget_templates")
        .set({ updated_at })
        .where("id", "=", id)
        .where("updated_at", "=", updated_at),
      rows: 1,
      missed: "changed_meanwhile",
    }),
  };
}
