/** SQL on the import from the console. */
import type { Database, Write } from "../../storage/database.ts";
import type { SiteImportRow } from "../../storage/tables/record-tables.ts";

/** `importId` is one at a time: two would write the same rows. */
const importId = 1;

/** `SiteImportHold` is one run of an import: what it writes counts while no other one has begun. */
export interface SiteImportHold {
  uuid: string;
  startedAt: number;
}

export type SiteImportProgress = Pick<SiteImportRow, "phase" | "label" | "system" | "report">;
export type SiteImportStore = ReturnType<typeof createSiteImportStore>;

export function createSiteImportStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const idle = (now: number) =>
    sql
      .updateTable("site_imports")
      .where(({ or, eb }) => or([eb("state", "<>", "running"), eb("lease_until", "<", now)]));
  const held = ({ uuid, startedAt }: SiteImportHold) =>
    sql
      .updateTable("site_imports")
      .where("uuid", "=", uuid)
      .where("started_at", "=", startedAt)
      .where("state", "=", "running");
  const removeIdle = (now: number) =>
    sql
      .deleteFrom("site_imports")
      .where(({ or, eb }) => or([eb("state", "<>", "running"), eb("lease_until", "<", now)]));
  return {
    async find(): Promise<SiteImportRow | undefined> {
      const [row] = await read(sql.selectFrom("site_imports").selectAll());
      return row;
    },

    /** `replace` takes the place of one that does not run. */
    replace: (row: Omit<SiteImportRow, "id">, now: number): Write[] => [
      { query: removeIdle(now) },
      {
        query: sql.insertInto("site_imports").values({ id: importId, ...row }),
        rows: 1,
        conflict: "site_import_running",
      },
    ],

    start: (
      { uuid, startedAt }: SiteImportHold,
      progress: SiteImportProgress,
      lease_until: number,
    ): Write => ({
      query: idle(startedAt)
        .where("uuid", "=", uuid)
        .set({
          ...progress,
          state: "running",
          failure: "",
          started_at: startedAt,
          ended_at: null,
          lease_until,
        }),
      rows: 1,
      missed: "site_import_running",
    }),

    /** Misses where the run was taken for one whose process had ended. */
    progress: (hold: SiteImportHold, progress: SiteImportProgress, lease_until: number): Write => ({
      query: held(hold).set({ ...progress, lease_until }),
      rows: 1,
    }),

    end: (
      hold: SiteImportHold,
      progress: SiteImportProgress,
      end: Pick<SiteImportRow, "state" | "failure" | "ended_at"> &
        Partial<Pick<SiteImportRow, "source_sealed">>,
    ): Write => ({ query: held(hold).set({ ...progress, ...end }) }),

    stop: (now: number): Write => ({
      query: sql
        .updateTable("site_imports")
        .where("state", "=", "running")
        .set({ state: "stopped", ended_at: now }),
    }),

    remove: (uuid: string, now: number): Write => ({
      query: removeIdle(now).where("uuid", "=", uuid),
      rows: 1,
      missed: "site_import_running",
    }),
  };
}
