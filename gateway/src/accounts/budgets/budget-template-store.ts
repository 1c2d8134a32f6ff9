/** SQL on budget templates and the budgets that follow them. */

import type { TemplateSubject } from "@tollgate/contract/accounts/budget-templates.ts";
import {
  budgetTemplatesMax,
  templatesPerGroupMax,
} from "@tollgate/contract/accounts/budget-templates.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { type Insertable, sql as raw, type Selectable } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import { byReference } from "../../storage/paged-list.ts";
import type { BudgetTemplatesTable } from "../../storage/tables/budget-tables.ts";
import type { changeTerms } from "./budget-rules.ts";

/** `TemplateTerms` are what a template of the site and a cap of a team have alike. */
export type TemplateTerms = Selectable<BudgetTemplatesTable>;
/** `BudgetTemplateRow` is one of the site: those of teams are caps of their members. */
export type BudgetTemplateRow = TemplateTerms & { subject: TemplateSubject };
export type BudgetTemplateColumns = Omit<Insertable<BudgetTemplatesTable>, "id">;
/** `FollowedTemplateRow` comes with the number of budgets that follow it. */
export type FollowedTemplateRow = BudgetTemplateRow & { followers: number };

export type BudgetTemplateStore = ReturnType<typeof createBudgetTemplateStore>;

export function createBudgetTemplateStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const followed = () =>
    sql
      .selectFrom("budget_templates")
      .selectAll()
      .where("team_id", "=", 0)
      .select(({ selectFrom, fn }) =>
        selectFrom("budgets")
          .whereRef("budgets.template_id", "=", "budget_templates.id")
          .select(fn.countAll<number>().as("count"))
          .$asScalar()
          .as("followers"),
      );
  const withCount = (row: TemplateTerms & { followers: number | null }): FollowedTemplateRow => ({
    ...(row as BudgetTemplateRow),
    followers: row.followers ?? 0,
  });

  return {
    all: async (): Promise<FollowedTemplateRow[]> =>
      (await read(followed().orderBy("id"))).map(withCount),

    async find(reference: Reference): Promise<FollowedTemplateRow | undefined> {
      const [row] = await read(followed().where(byReference("budget_templates", reference)));
      return row && withCount(row);
    },

    async byExternalId(externalId: string): Promise<FollowedTemplateRow | undefined> {
      const [row] = await read(followed().where("external_id", "=", externalId));
      return row && withCount(row);
    },

    /**
     * Misses when there are as many as there may be; two at the same moment may exceed that by one.
     */
    insert(row: BudgetTemplateColumns): Write {
      const names = Object.keys(row) as (keyof BudgetTemplateColumns)[];
      const values = names.map((column) => raw`${row[column]}`.as(column));
      const all = sql
        .selectFrom("budget_templates")
        .where("team_id", "=", 0)
        .select(({ fn }) => fn.countAll<number>().as("count"));
      const ofGroup = all
        .where("subject", "=", row.subject)
        .where("group_name", "=", row.group_name);
      const hasRoom = sql
        .selectNoFrom(values)
        .where(all, "<", budgetTemplatesMax)
        .where(ofGroup, "<", templatesPerGroupMax);
      return {
        query: sql.insertInto("budget_templates").columns(names).expression(hasRoom),
        rows: 1,
        missed: "budget_templates_full",
        conflict: { budget_templates_external_id: "external_id_taken" },
      };
    },

    /**
     * `update` changes the template with every budget that follows it. Misses when the row changed
     * after it was read.
     */
    update: (
      row: BudgetTemplateRow,
      changed: ChangedTerms,
      managing?: Partial<Pick<BudgetTemplateColumns, "external_id" | "managed_by">>,
    ): Write[] => planTemplateUpdate({ sql }, row, changed, managing),

    /** The budgets that it gave stay, and follow nothing. */
    remove: ({ id }: BudgetTemplateRow): Write[] => [
      {
        query: sql.deleteFrom("budget_templates").where("id", "=", id),
        rows: 1,
        missed: "budget_template_not_found",
      },
      {
        query: sql.updateTable("budgets").set({ template_id: null }).where("template_id", "=", id),
      },
    ],
  };
}

type ChangedTerms = Pick<ReturnType<typeof changeTerms>, "terms" | "isOtherWindow" | "isRearmed">;

/**
 * `planTemplateUpdate` is for templates of the site and caps of teams, with every budget that
 * follows.
 */
export function planTemplateUpdate(
  { sql }: Pick<Database, "sql">,
  { id, updated_at }: Pick<TemplateTerms, "id" | "updated_at">,
  { terms, isOtherWindow, isRearmed }: ChangedTerms,
  managing: Partial<Pick<BudgetTemplateColumns, "external_id" | "managed_by">> = {},
): Write[] {
  const { updated_at: now, managed_by: _, ...inherited } = terms;
  /**
   * Later than it was, on each row: no two versions and no two counters of a budget have the same
   * time.
   */
  const after = (column: "updated_at" | "counts_from") =>
    raw<number>`case when ${raw.ref(column)} < ${now} then ${now} else ${raw.ref(column)} + 1 end`;
  const followers = sql
    .updateTable("budgets")
    .set({
      ...inherited,
      ...(isOtherWindow && { counts_from: after("counts_from") }),
      ...(isRearmed && { pauses_after: 0 }),
      updated_at: after("updated_at"),
    })
    .where("template_id", "=", id);
  return [
    {
      query: sql
        .updateTable("budget_templates")
        .set({ ...terms, ...managing })
        .where("id", "=", id)
        .where("updated_at", "=", updated_at),
      rows: 1,
      missed: "changed_meanwhile",
    },
    { query: followers },
  ];
}
