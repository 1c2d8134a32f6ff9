/**
 * SQL on OpenID Connect providers, and the copy in memory that sign-ins and the public status read.
 */
import { buildOidcAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import type { Insertable, Selectable } from "kysely";
import type { Database, Write } from "../../../storage/database.ts";
import { byReference } from "../../../storage/paged-list.ts";
import type { OidcProvidersTable } from "../../../storage/tables/oidc-tables.ts";

export type OidcProviderRow = Selectable<OidcProvidersTable>;
type OidcProviderColumns = Omit<Insertable<OidcProvidersTable>, "id">;

export type OidcProviderStore = ReturnType<typeof createOidcProviderStore>;

export function createOidcProviderStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    all: (): Promise<OidcProviderRow[]> =>
      read(sql.selectFrom("oidc_providers").selectAll().orderBy("position").orderBy("id")),

    async find(reference: Reference): Promise<OidcProviderRow | undefined> {
      const [row] = await read(
        sql
          .selectFrom("oidc_providers")
          .selectAll()
          .where(byReference("oidc_providers", reference)),
      );
      return row;
    },

    insert: (row: OidcProviderColumns): Write => ({
      query: sql.insertInto("oidc_providers").values(row),
      rows: 1,
      conflict: "oidc_slug_taken",
    }),

    /** Misses when the row changed after it was read. */
    update: ({ id, updated_at }: OidcProviderRow, change: Partial<OidcProviderColumns>): Write => ({
      query: sql
        .updateTable("oidc_providers")
        .set(change)
        .where("id", "=", id)
        .where("updated_at", "=", updated_at),
      rows: 1,
      missed: "changed_meanwhile",
    }),

    /**
     * People and what they were given follow an issuer that gets another name, unless they are known
     * by that one already.
     */
    moveAccounts: (from: string, to: string): Write[] => [
      ...(["team_members", "budgets"] as const).map((table) => ({
        query: sql
          .updateTable(table)
          .set({ by_provider: buildOidcAccountProvider(to) })
          .where("by_provider", "=", buildOidcAccountProvider(from)),
      })),
      {
        query: sql
          .updateTable("external_accounts")
          .set({ provider: buildOidcAccountProvider(to) })
          .where("provider", "=", buildOidcAccountProvider(from))
          .where(({ exists, not, or, ref, selectFrom }) =>
            not(
              exists(
                selectFrom("external_accounts as known")
                  .select("known.user_id")
                  .where("known.provider", "=", buildOidcAccountProvider(to))
                  .where((eb) =>
                    or([
                      eb("known.external_id", "=", ref("external_accounts.external_id")),
                      eb("known.user_id", "=", ref("external_accounts.user_id")),
                    ]),
                  ),
              ),
            ),
          ),
      },
    ],

    remove: ({ id }: OidcProviderRow): Write => ({
      query: sql.deleteFrom("oidc_providers").where("id", "=", id),
      rows: 1,
      missed: "changed_meanwhile",
    }),
  };
}

export interface LiveOidcProviders {
  /** `enabled` gives those that users may sign in with, in the order of their buttons. */
  enabled(): readonly OidcProviderRow[];
}

/** Providers change with the settings: the same topic tells all nodes. */
export const oidcProviderTopic = "options";

export async function loadOidcProviders(db: Database): Promise<LiveOidcProviders> {
  const store = createOidcProviderStore(db);
  let enabled: readonly OidcProviderRow[] = [];
  let startedReads = 0;
  let appliedRead = 0;
  const refresh = async () => {
    startedReads += 1;
    const started = startedReads;
    const rows = await store.all();
    // Of two concurrent reads the later one is newer, whichever finishes last.
    if (started < appliedRead) return;
    appliedRead = started;
    enabled = rows.filter((row) => row.enabled === 1);
  };
  db.onChange(oidcProviderTopic, refresh);
  await refresh();
  return { enabled: () => enabled };
}
