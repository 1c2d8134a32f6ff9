/** SQL on budgets and their counters. */

import {
  type BudgetSubject,
  subjectMembers,
  tokenSubjects,
} from "@tollgate/contract/accounts/budget-kinds.ts";
import { budgetsPerSubjectMax } from "@tollgate/contract/accounts/budgets.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { TeamBudgetSubject } from "@tollgate/contract/accounts/team-caps.ts";
import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { configuredSubjects } from "@tollgate/contract/commands/configured-budgets.ts";
import { type Insertable, type RawBuilder, sql as raw, type Selectable } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import { byReference, type PagedRows, readPagedList } from "../../storage/paged-list.ts";
import type { PageQuery } from "../../storage/pagination.ts";
import type { BudgetCounterRow, BudgetsTable } from "../../storage/tables/budget-tables.ts";
import { joinBudgetNames, joinBudgetsOfTeam, selectBudgetNames } from "./named-budgets.ts";

export type BudgetRow = Selectable<BudgetsTable>;
export type BudgetColumns = Omit<Insertable<BudgetsTable>, "id">;
/**
 * `NamedBudgetRow` has the names of user, token, team and channel; null for other subjects, and for
 * those that were deleted. `member_user_id` is of a member.
 */
export type NamedBudgetRow = BudgetRow &
  Record<"username" | "token_name" | "team_name" | "channel_name", string | null> & {
    member_user_id: number | null;
    /** When that member left; null for one who is there, and for other subjects. */
    member_left_at: number | null;
    /** The provider that gave a member both the membership and this budget; empty for none. */
    ruled_by: string;
  };
export type BudgetCounter = Pick<
  Selectable<BudgetCounterRow>,
  "budget_id" | "window_start" | "spent" | "held" | "calls" | "granted"
> & {
  /** `exceeding` is what it has spent beyond what was granted. */
  exceeding: number;
};

interface BudgetFilter {
  subject?: BudgetSubject | undefined;
  subject_id?: Reference | undefined;
  external_id?: string | undefined;
}

interface TeamBudgetFilter {
  subject?: TeamBudgetSubject | undefined;
  /** `user_id` selects the budgets of this member alone; without those of the whole team. */
  user_id?: number | undefined;
}

/** `CountedWindow` is one window of a budget, of a part of its subject or of all that it counts. */
export interface CountedWindow {
  id: number;
  start: number;
  part?: string | undefined;
}

const idColumn: RawBuilder<unknown> = raw.ref("budgets.id");
/** The budgets of the whole team come before those of its members. */
const sortColumns = { member: raw`lower(coalesce(users.username, ''))` };

/** A budget whose subject is a row of its own. */
export interface BudgetOfRow {
  subject: {
    [Subject in BudgetSubject]: (typeof subjectMembers)[Subject] extends "subject_id"
      ? Subject
      : never;
  }[BudgetSubject];
  subject_id: number;
}
export const isOfRow = (budget: Pick<BudgetRow, "subject" | "subject_id">): budget is BudgetOfRow =>
  subjectMembers[budget.subject] === "subject_id";

export type BudgetStore = ReturnType<typeof createBudgetStore>;

export function createBudgetStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const named = () => joinBudgetNames(sql);
  const page = (
    found: ReturnType<typeof named>,
    query: PageQuery & { sort?: string; order?: string },
  ): Promise<PagedRows<NamedBudgetRow>> => {
    const counted = found.select("budgets.id");
    return readPagedList(
      { sql, read },
      { rows: selectBudgetNames(found), counted, sortColumns, idColumn, query },
    );
  };

  return {
    page(
      { subject, subject_id, external_id }: BudgetFilter,
      query: PageQuery,
    ): Promise<PagedRows<NamedBudgetRow>> {
      let found = named();
      if (subject !== undefined) found = found.where("budgets.subject", "=", subject);
      if (subject_id !== undefined) {
        const named = {
          ...{ user: "users", token: "tokens", token_run: "tokens" },
          ...{ team: "teams", team_run: "teams", channel: "channels" },
        } as const;
        const isSubject = Object.entries(named).map(
          ([kind, table]) =>
            raw<boolean>`(budgets.subject = ${kind} and ${byReference(table, subject_id)})`,
        );
        // A membership has no uuid.
        const isMember = raw<boolean>`(budgets.subject = 'member' and budgets.subject_id = ${subject_id.id ?? 0})`;
        found = found.where(raw<boolean>`(${raw.join([...isSubject, isMember], raw` or `)})`);
      }
      if (external_id !== undefined) found = found.where("budgets.external_id", "=", external_id);
      return page(found, query);
    },

    /**
     * `pageOfUser` lists the budgets of a user and of the user's tokens, or of one of these tokens.
     */
    pageOfUser: (
      userId: number,
      { token_id, ...query }: PageQuery & { token_id?: number | undefined },
    ): Promise<PagedRows<NamedBudgetRow>> =>
      page(
        named().where(({ or, and, eb }) => {
          const ofTokens = and([
            eb("budgets.subject", "in", tokenSubjects),
            eb("tokens.user_id", "=", userId),
          ]);
          if (token_id !== undefined)
            return and([ofTokens, eb("budgets.subject_id", "=", token_id)]);
          return or([
            and([eb("budgets.subject", "=", "user"), eb("budgets.subject_id", "=", userId)]),
            ofTokens,
          ]);
        }),
        query,
      ),

    /** `pageOfTeam` sorts by the names of the members. */
    pageOfTeam: (
      teamId: number,
      { subject, user_id }: TeamBudgetFilter,
      query: PageQuery,
    ): Promise<PagedRows<NamedBudgetRow>> =>
      page(
        joinBudgetsOfTeam(sql, teamId)
          .$if(subject !== undefined, (rows) =>
            rows.where("budgets.subject", "=", subject ?? "team"),
          )
          .$if(user_id !== undefined, (rows) =>
            rows.where("team_members.user_id", "=", user_id ?? 0),
          ),
        { ...query, sort: "member", order: "asc" },
      ),

    /** `findOfMember` gives the budget of someone who is in the team. */
    async findOfMember(teamId: number, id: number): Promise<NamedBudgetRow | undefined> {
      const found = joinBudgetsOfTeam(sql, teamId)
        .where("budgets.subject", "=", "member")
        .where("budgets.id", "=", id);
      return (await read(selectBudgetNames(found)))[0];
    },

    /** `configurable` gives those that a configuration document can name. */
    configurable: (): Promise<BudgetRow[]> =>
      read(
        sql
          .selectFrom("budgets")
          .selectAll()
          .where("subject", "in", configuredSubjects)
          .orderBy("id"),
      ),

    async find(reference: Reference): Promise<NamedBudgetRow | undefined> {
      const [row] = await read(selectBudgetNames(named()).where(byReference("budgets", reference)));
      return row;
    },

    async byExternalId(externalId: string): Promise<NamedBudgetRow | undefined> {
      const [row] = await read(
        selectBudgetNames(named()).where("budgets.external_id", "=", externalId),
      );
      return row;
    },

    /**
     * `ownerOf` reads the account that a budget concerns: 0 for a team or channel, undefined where
     * its subject does not exist.
     */
    async ownerOf({
      subject,
      subject_id,
    }: BudgetOfRow): Promise<{ id: number; role: number } | undefined> {
      const users = sql
        .selectFrom("users")
        .select(["users.id", "users.role"])
        .where("users.status", "<>", 3);
      const ofTeams = sql
        .selectFrom("teams")
        .where("teams.status", "<>", teamStatus.deleted)
        .select([raw<number>`0`.as("id"), raw<number>`${roles.user}`.as("role")]);
      const ofTeam = () => ofTeams.where("teams.id", "=", subject_id);
      const ofToken = () =>
        users.innerJoin("tokens", "tokens.user_id", "users.id").where("tokens.id", "=", subject_id);
      const owners = {
        user: () => users.where("users.id", "=", subject_id),
        token: ofToken,
        token_run: ofToken,
        team: ofTeam,
        team_run: ofTeam,
        member: () =>
          ofTeams
            .innerJoin("team_members", "team_members.team_id", "teams.id")
            .where("team_members.id", "=", subject_id),
        // Every administrator manages channels.
        channel: () =>
          sql
            .selectFrom("channels")
            .where("channels.id", "=", subject_id)
            .select([raw<number>`0`.as("id"), raw<number>`${roles.user}`.as("role")]),
      };
      return (await read<{ id: number; role: number }>(owners[subject]()))[0];
    },

    /**
     * The counters of these windows, in no order; one in which nothing happened is missing. Of a
     * budget that counts parts of its subject by themselves: the most that one of them has, unless
     * a part is named.
     */
    async counters(windows: readonly CountedWindow[]): Promise<BudgetCounter[]> {
      if (windows.length === 0) return [];
      return await read(
        sql
          .selectFrom("budget_counters")
          .select(["budget_id", "window_start"])
          .select(({ fn }) => [
            fn.max<number>("spent").as("spent"),
            fn.max<number>("held").as("held"),
            fn.max<number>("calls").as("calls"),
            fn.max<number>("granted").as("granted"),
            raw<number>`max(spent - granted)`.as("exceeding"),
          ])
          .where(({ or, and, eb }) =>
            or(
              windows.map(({ id, start, part }) =>
                and([
                  ...[eb("budget_id", "=", id), eb("window_start", "=", start)],
                  ...(part === undefined ? [] : [eb("part", "=", part)]),
                ]),
              ),
            ),
          )
          .groupBy(["budget_id", "window_start"]),
      );
    },

    /** `spendingLimit` gives what the owner of a token set as its spending limit. */
    async spendingLimit(tokenId: number): Promise<NamedBudgetRow | undefined> {
      const [row] = await read(
        selectBudgetNames(named())
          .where("budgets.subject", "=", "token")
          .where("budgets.subject_id", "=", tokenId)
          .where("budgets.by_owner", "=", 1),
      );
      return row;
    },

    /**
     * The first statement locks the token, so that of two limits set at the same moment the second
     * one misses.
     */
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

    /**
     * Misses when the subject has as many as it may have; two at the same moment may exceed that by
     * one.
     */
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
      query: sql
        .updateTable("budgets")
        .set(change)
        .where("id", "=", id)
        .where("updated_at", "=", updated_at),
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
