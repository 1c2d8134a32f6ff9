/** SQL on budgets and their counters. */
import { type BudgetSubject, budgetsPerSubjectMax } from "@tollgate/contract/budgets.ts";
import { configuredSubjects } from "@tollgate/contract/configuration.ts";
import type { Reference } from "@tollgate/contract/ids.ts";
import { type Insertable, type RawBuilder, sql as raw, type Selectable } from "kysely";
import type { Database, Write } from "../storage/database.ts";
import { byReference, type PagedRows, pagedList } from "../storage/paged-list.ts";
import type { PageQuery } from "../storage/pagination.ts";
import type { BudgetCounterRow, BudgetsTable } from "../storage/tables/budget-tables.ts";

export type BudgetRow = Selectable<BudgetsTable>;
export type BudgetColumns = Omit<Insertable<BudgetsTable>, "id">;
/** With the name of the user or token; null for other subjects, and for what was deleted. */
export type NamedBudgetRow = BudgetRow & { username: string | null; token_name: string | null };
export type BudgetCounter = Pick<
  Selectable<BudgetCounterRow>,
  "budget_id" | "window_start" | "spent" | "held" | "calls"
>;

interface BudgetFilter {
  subject?: BudgetSubject | undefined;
  subject_id?: Reference | undefined;
  external_id?: string | undefined;
}

/** A year's report can still be compared with them. */
const countersKeptMs = 400 * 86_400_000;

const idColumn: RawBuilder<unknown> = raw.ref("budgets.id");

export type BudgetStore = ReturnType<typeof budgetStore>;

export function budgetStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const named = () =>
    sql
      .selectFrom("budgets")
      .leftJoin("users", (join) => join.onRef("users.id", "=", "budgets.subject_id").on("budgets.subject", "=", "user"))
      .leftJoin("tokens", (join) =>
        join.onRef("tokens.id", "=", "budgets.subject_id").on("budgets.subject", "=", "token"),
      );
  const withNames = (found: ReturnType<typeof named>) =>
    found.selectAll("budgets").select(["users.username", "tokens.name as token_name"]);
  const page = (found: ReturnType<typeof named>, query: PageQuery): Promise<PagedRows<NamedBudgetRow>> => {
    const counted = found.select("budgets.id");
    return pagedList({ sql, read }, { rows: withNames(found), counted, sortColumns: {}, idColumn, query });
  };

  return {
    page({ subject, subject_id, external_id }: BudgetFilter, query: PageQuery): Promise<PagedRows<NamedBudgetRow>> {
      let found = named();
      if (subject !== undefined) found = found.where("budgets.subject", "=", subject);
      if (subject_id !== undefined) {
        const isSubject = [byReference("users", subject_id), byReference("tokens", subject_id)];
        found = found.where(raw<boolean>`(${raw.join(isSubject, raw` or `)})`);
      }
      if (external_id !== undefined) found = found.where("budgets.external_id", "=", external_id);
      return page(found, query);
    },

    /** Of a user and of the user's tokens, or of one of these tokens. */
    pageOfUser: (
      userId: number,
      { token_id, ...query }: PageQuery & { token_id?: number | undefined },
    ): Promise<PagedRows<NamedBudgetRow>> =>
      page(
        named().where(({ or, and, eb }) => {
          const ofTokens = and([eb("budgets.subject", "=", "token"), eb("tokens.user_id", "=", userId)]);
          if (token_id !== undefined) return and([ofTokens, eb("budgets.subject_id", "=", token_id)]);
          return or([and([eb("budgets.subject", "=", "user"), eb("budgets.subject_id", "=", userId)]), ofTokens]);
        }),
        query,
      ),

    /** Those that a configuration document can name. */
    configurable: (): Promise<BudgetRow[]> =>
      read(sql.selectFrom("budgets").selectAll().where("subject", "in", configuredSubjects).orderBy("id")),

    async find(reference: Reference): Promise<NamedBudgetRow | undefined> {
      const [row] = await read(withNames(named()).where(byReference("budgets", reference)));
      return row;
    },

    async byExternalId(externalId: string): Promise<NamedBudgetRow | undefined> {
      const [row] = await read(withNames(named()).where("budgets.external_id", "=", externalId));
      return row;
    },

    /** The owner of a user's or token's budget; undefined where there is none. */
    async ownerOf({ subject, subject_id }: Pick<BudgetRow, "subject" | "subject_id">) {
      const users = sql.selectFrom("users").select(["users.id", "users.role"]).where("users.status", "<>", 3);
      const owner =
        subject === "token"
          ? users.innerJoin("tokens", "tokens.user_id", "users.id").where("tokens.id", "=", subject_id)
          : users.where("users.id", "=", subject_id);
      return (await read(owner))[0];
    },

    /** The counters of these windows, in no order; one in which nothing happened is missing. */
    async counters(windows: readonly { id: number; start: number }[]): Promise<BudgetCounter[]> {
      if (windows.length === 0) return [];
      return await read(
        sql
          .selectFrom("budget_counters")
          .select(["budget_id", "window_start", "spent", "held", "calls"])
          .where(({ or, and, eb }) =>
            or(windows.map(({ id, start }) => and([eb("budget_id", "=", id), eb("window_start", "=", start)]))),
          ),
      );
    },

    /** What the owner of a token set as its spending limit. */
    async spendingLimit(tokenId: number): Promise<NamedBudgetRow | undefined> {
      const [row] = await read(
        withNames(named())
          .where("budgets.subject", "=", "token")
          .where("budgets.subject_id", "=", tokenId)
          .where("budgets.by_owner", "=", 1),
      );
      return row;
    },

    /** The first statement locks the token, so that of two limits set at the same moment the second one misses. */
    insertSpendingLimit(row: BudgetColumns): Write[] {
      const locked = sql
        .updateTable("tokens")
        .set(({ ref }) => ({ status: ref("status") }))
        .where("id", "=", row.subject_id);
      const other = sql
        .selectFrom("budgets")
        .select("id")
        .where("subject", "=", "token")
        .where("subject_id", "=", row.subject_id)
        .where("by_owner", "=", 1);
      return [
        { query: locked, rows: 1, missed: "token_not_found" },
        {
          query: locked.where(({ not, exists }) => not(exists(other))),
          rows: 1,
          missed: "changed_meanwhile",
        },
        { query: sql.insertInto("budgets").values(row), rows: 1 },
      ];
    },

    /** Misses when the subject has as many as it may have; two at the same moment may exceed that by one. */
    insert(row: BudgetColumns): Write {
      const { subject, subject_id, model_name, tag } = row;
      const names = Object.keys(row) as (keyof BudgetColumns)[];
      const values = names.map((column) => raw`${row[column]}`.as(column));
      const others = sql
        .selectFrom("budgets")
        .where("subject", "=", subject)
        .where("subject_id", "=", subject_id)
        .where("model_name", "=", model_name)
        .where("tag", "=", tag)
        .select(({ fn }) => fn.countAll<number>().as("count"));
      return {
        query: sql
          .insertInto("budgets")
          .columns(names)
          .expression(sql.selectNoFrom(values).where(others, "<", budgetsPerSubjectMax)),
        rows: 1,
        missed: "budgets_full",
        conflict: { budgets_external_id: "external_id_taken" },
      };
    },

    /** Misses when the row changed after it was read. */
    update: ({ id, updated_at }: BudgetRow, change: Partial<BudgetColumns>): Write => ({
      query: sql.updateTable("budgets").set(change).where("id", "=", id).where("updated_at", "=", updated_at),
      rows: 1,
      missed: "changed_meanwhile",
    }),

    remove: ({ id }: BudgetRow): Write => ({
      query: sql.deleteFrom("budgets").where("id", "=", id),
      rows: 1,
      missed: "budget_not_found",
    }),
  };
}

/** Run by the purge of expired rows. */
export const purgeBudgets = ({ sql }: Pick<Database, "sql">, now: number): Write[] => [
  {
    query: sql
      .deleteFrom("budgets")
      .where("subject", "=", "token")
      .where("subject_id", "not in", sql.selectFrom("tokens").select("id")),
  },
  {
    query: sql
      .deleteFrom("budgets")
      .where("subject", "=", "user")
      .where("subject_id", "not in", sql.selectFrom("users").select("id").where("status", "<>", 3)),
  },
  {
    query: sql
      .deleteFrom("budget_counters")
      .where("window_start", "<", now - countersKeptMs)
      .where("held", "=", 0)
      // The only counter of a lifetime may be older.
      .where("budget_id", "not in", sql.selectFrom("budgets").select("id").where("window", "=", "lifetime")),
  },
];
