/** SQL on alerts, their events, and the notices that follow from them. */

import type { Reference } from "@tollgate/contract/api/ids.ts";
import {
  type AlertRuleName,
  type AlertSubjectKind,
  isAlertRule,
} from "@tollgate/contract/notices/alert-rule-table.ts";
import type { AlertFilter } from "@tollgate/contract/notices/alerts.ts";
import type { NoticeTransition } from "@tollgate/contract/notices/destinations.ts";
import { type Insertable, type RawBuilder, sql as raw, type Selectable } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import { byReference, type PagedRows, readPagedList } from "../../storage/paged-list.ts";
import type { PageQuery } from "../../storage/pagination.ts";
import type { AlertEventRow, AlertsTable, NoticeRow } from "../../storage/tables/alert-tables.ts";

export type AlertRow = Selectable<AlertsTable> & {
  rule: AlertRuleName;
  subject_kind: AlertSubjectKind;
};

const idColumn: RawBuilder<unknown> = raw.ref("alerts.id");
/**
 * More alerts than this change only where something is badly wrong; the rest follows in later runs.
 */
const openMax = 5_000;
const keptMs = 30 * 24 * 3_600_000;

export type AlertStore = ReturnType<typeof createAlertStore>;

/** Rules of a newer version are left to it. */
const known = (rows: Selectable<AlertsTable>[]) =>
  rows.filter((row): row is AlertRow => isAlertRule(row.rule));

export function createAlertStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    events: (limit: number): Promise<AlertEventRow[]> =>
      read(sql.selectFrom("alert_events").selectAll().orderBy("id").limit(limit)),

    /** Misses when another node has folded one of them. */
    removeEvents: (ids: readonly number[]): Write => ({
      query: sql.deleteFrom("alert_events").where("id", "in", ids),
      rows: ids.length,
    }),

    /** The alerts of some subjects, and those of other rules with the same ids. */
    async ofSubjects(ids: readonly string[]): Promise<AlertRow[]> {
      return known(await read(sql.selectFrom("alerts").selectAll().where("subject_id", "in", ids)));
    },

    /**
     * `open` gives those with which the time may do something; those of operators come first. One
     * that was told and reminded of waits for its end alone, unless its rule is one of `offRules`.
     */
    async open(offRules: readonly AlertRuleName[]): Promise<AlertRow[]> {
      const rows = sql
        .selectFrom("alerts")
        .selectAll()
        .orderBy("user_id")
        .orderBy("id")
        .limit(openMax);
      const isOpen = rows.where(({ or, and, eb, ref }) => {
        const isUntold = eb("told_since", "<>", ref("since"));
        const isOff = offRules.length === 0 ? [] : [eb("rule", "in", offRules)];
        return or([
          eb("flapping_until", ">", 0),
          and([eb("state", "=", "resolved"), eb("told_since", ">", 0)]),
          and([eb("state", "=", "firing"), or([isUntold, eb("is_reminded", "=", 0), ...isOff])]),
        ]);
      });
      return known(await read(isOpen));
    },

    insert: (row: Insertable<AlertsTable>): Write => ({
      query: sql.insertInto("alerts").values(row),
      rows: 1,
    }),

    /** Misses when another node has changed it. */
    update: ({ id, version }: AlertRow, change: Partial<AlertRow>): Write => ({
      query: sql
        .updateTable("alerts")
        .set({ ...change, version: version + 1 })
        .where("id", "=", id)
        .where("version", "=", version),
      rows: 1,
      missed: "changed_meanwhile",
    }),

    /**
     * Once for each alert, transition and destination, however many nodes try. The alert may be new
     * in the same batch.
     */
    addNotice(
      alertUuid: string,
      {
        transition,
        ...notice
      }: Omit<NoticeRow, "alert_id" | "transition"> & { transition: NoticeTransition },
    ): Write {
      const alert_id = raw<number>`(select id from alerts where uuid = ${alertUuid})`;
      return {
        query: sql
          .insertInto("notices")
          .values({ ...notice, transition, alert_id })
          .onConflict((conflict) =>
            conflict.columns(["alert_id", "transition", "since", "destination_id"]).doNothing(),
          ),
      };
    },

    /** `toldDestinations` says who was told of some alerts before. */
    toldDestinations: (
      ids: readonly number[],
    ): Promise<{ alert_id: number; destination_id: number }[]> =>
      read(
        sql
          .selectFrom("notices")
          .select(["alert_id", "destination_id"])
          .distinct()
          .where("alert_id", "in", ids),
      ),

    /** `find` gives one of operators: those of users are theirs alone. */
    async find(reference: Reference): Promise<AlertRow | undefined> {
      const named = sql.selectFrom("alerts").selectAll().where(byReference("alerts", reference));
      return known(await read(named.where("user_id", "=", 0)))[0];
    },

    async page(
      query: PageQuery & { state?: AlertFilter | undefined },
      now: number,
    ): Promise<PagedRows<AlertRow>> {
      const all = sql.selectFrom("alerts").where("user_id", "=", 0);
      const found =
        query.state === "muted"
          ? all.where("state", "=", "firing").where("muted_until", ">", now)
          : query.state
            ? all.where("state", "=", query.state)
            : all;
      const parts = { rows: found.selectAll(), counted: found.select("alerts.id"), idColumn };
      // Those that changed last come first.
      const sortColumns = { seen: raw.ref("alerts.seen_at") };
      const { rows, ...total } = await readPagedList(
        { sql, read },
        { ...parts, sortColumns, query: { ...query, sort: "seen" } },
      );
      return { rows: known(rows), ...total };
    },

    /** Rules of operators' alerts that fire and are not muted. */
    async firingRules(now: number): Promise<string[]> {
      const firing = sql
        .selectFrom("alerts")
        .select("rule")
        .where("state", "=", "firing")
        .limit(openMax);
      const ofOperators = firing.where("user_id", "=", 0);
      return (await read(ofOperators.where("muted_until", "<=", now))).map(({ rule }) => rule);
    },

    /** Notices first: while an alert exists, it is known who was told. */
    purge: (now: number): Write[] => [
      {
        query: sql
          .deleteFrom("notices")
          .where("ended_at", "<", now - keptMs)
          .where(
            "alert_id",
            "not in",
            sql.selectFrom("alerts").select("id").where("state", "=", "firing"),
          ),
      },
      {
        query: sql
          .deleteFrom("alerts")
          .where("state", "=", "resolved")
          .where("seen_at", "<", now - keptMs),
      },
    ],
  };
}
