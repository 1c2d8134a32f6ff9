/**
 * The budgets that a new account, API key or member of a team gets by the templates, as a statement
 * for the batch that makes it.
 */
import type { TemplateSubject } from "@tollgate/contract/accounts/budget-templates.ts";
import { budgetsPerSubjectMax } from "@tollgate/contract/accounts/budgets.ts";
import { type Expression, type RawBuilder, sql as raw } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import { readUuid7 } from "../../storage/time-ids.ts";

/** `inheritedColumns` are what a budget has from its template, now and after each change of it. */
export const inheritedColumns = [
  "name",
  "note",
  "models",
  "window",
  "first_day",
  "anchor",
  "zone",
  "amount",
  "hard",
  "on_reached",
  "thresholds",
  "enabled",
] as const;
export type InheritedColumn = (typeof inheritedColumns)[number];

/**
 * The random part of a version 7 uuid, which the database makes: the statement alone knows how many
 * budgets it inserts.
 */
const randomOfUuid: Record<Database["dialect"], RawBuilder<string>> = {
  sqlite: raw`lower(substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`,
  postgres: raw`substr(gen_random_uuid()::text, 16)`,
};
/** The time and the version. */
const uuidStartLength = "01940000-0000-7".length;

interface MadeRow {
  uuid: string;
  updated_at: number;
}

/**
 * `planInheritedBudgets` is for rows that one batch makes at one moment; runs behind their insert.
 * On PostgreSQL the templates stay locked until the batch ends, so that a change of a template
 * finds the budgets that this statement makes.
 */
export function planInheritedBudgets(
  { sql, dialect }: Pick<Database, "sql" | "dialect">,
  subject: TemplateSubject,
  made: readonly MadeRow[],
): Write[] {
  const [first] = made;
  if (!first) return [];
  const now = first.updated_at;
  const uuids = made.map(({ uuid }) => uuid);
  const users = sql.selectFrom("users").select("users.group");
  const owners =
    subject === "user"
      ? users.select("users.id").where("users.uuid", "in", uuids)
      : users
          .innerJoin("tokens", "tokens.user_id", "users.id")
          .select("tokens.id")
          .where("tokens.uuid", "in", uuids);
  const chosen = sql
    .selectFrom("budget_templates as template")
    .innerJoin(owners.as("owner"), (join) => join.onTrue())
    .where("template.subject", "=", subject)
    .where(({ or, eb, ref }) =>
      or([eb("template.group_name", "=", ""), eb("template.group_name", "=", ref("owner.group"))]),
    )
    .select(inheritedColumns.map((name) => `template.${name}` as const))
    .select(["template.id as template_id", "template.subject", "owner.id as subject_id"])
    .select(raw<null>`cast(null as bigint)`.as("cap_id"))
    .select(buildOwnColumns(dialect, now));
  return [planInsert({ sql }, dialect === "postgres" ? chosen.forShare("template") : chosen)];
}

interface CappedMembers {
  teamId: number;
  /** `userIds` are the members that join; undefined for all who are in the team. */
  userIds?: readonly number[];
  /** `templateUuid` is that of a new cap; undefined for all of the team. */
  templateUuid?: string;
}

/**
 * `planMemberCaps` runs behind the insert of a member, or of a cap, and gives each member a cap at
 * most once. It locks the team, so that a member who joins while a cap is made gets it by one of
 * the two batches.
 */
export function planMemberCaps(
  { sql, dialect }: Pick<Database, "sql" | "dialect">,
  { teamId, userIds, templateUuid }: CappedMembers,
  now: number,
): Write[] {
  const ofMember = sql
    .selectFrom("budgets")
    .where("budgets.subject", "=", "member")
    .where(raw<boolean>`budgets.subject_id = member.id`);
  const chosen = sql
    .selectFrom("budget_templates as template")
    .innerJoin("team_members as member", "member.team_id", "template.team_id")
    .where("template.subject", "=", "member")
    .where("template.team_id", "=", teamId)
    .where("member.left_at", "is", null)
    .$if(userIds !== undefined, (rows) => rows.where("member.user_id", "in", userIds ?? []))
    .$if(templateUuid !== undefined, (rows) => rows.where("template.uuid", "=", templateUuid ?? ""))
    .where(({ not, exists }) =>
      not(exists(ofMember.where(raw<boolean>`budgets.cap_id = template.id`).select("id"))),
    )
    .where(
      ofMember.select(({ fn }) => fn.countAll<number>().as("count")),
      "<",
      budgetsPerSubjectMax,
    )
    .select(inheritedColumns.map((name) => `template.${name}` as const))
    .select([
      "template.id as template_id",
      "template.subject",
      "member.id as subject_id",
      "template.id as cap_id",
    ])
    .select(buildOwnColumns(dialect, now));
  const locked = sql
    .updateTable("teams")
    .set(({ ref }) => ({ status: ref("status") }))
    .where("id", "=", teamId);
  return [
    { query: locked },
    planInsert({ sql }, dialect === "postgres" ? chosen.forShare("template") : chosen),
  ];
}

/** `buildOwnColumns` gives what a budget has of its own, whatever template gives it. */
const buildOwnColumns = (dialect: Database["dialect"], now: number) => [
  raw<string>`${readUuid7(now).slice(0, uuidStartLength)} || ${randomOfUuid[dialect]}`.as("uuid"),
  ...["model_name", "tag"].map((name) => raw<string>`''`.as(name)),
  raw<number>`0`.as("by_owner"),
  ...["counts_from", "created_at", "updated_at"].map((name) =>
    raw<number>`cast(${now} as bigint)`.as(name),
  ),
];

const planInsert = ({ sql }: Pick<Database, "sql">, chosen: Expression<unknown>): Write => ({
  query: sql
    .insertInto("budgets")
    .columns([
      ...inheritedColumns,
      ...([
        "template_id",
        "subject",
        "subject_id",
        "cap_id",
        "uuid",
        "model_name",
        "tag",
        "by_owner",
      ] as const),
      ...(["counts_from", "created_at", "updated_at"] as const),
    ])
    .expression(chosen),
});
