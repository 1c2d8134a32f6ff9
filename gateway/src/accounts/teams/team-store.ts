/** SQL on teams, their members and their keys. */
import type { listTeams, TeamRole } from "@tollgate/contract/accounts/teams.ts";
import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import type { QueryOf } from "@tollgate/contract/api/endpoint.ts";
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { type Insertable, sql as raw, type Selectable, type Updateable } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import {
  byReference,
  isOtherThan,
  matchesKeyword,
  type PagedRows,
  readPagedList,
} from "../../storage/paged-list.ts";
import type { PageQuery } from "../../storage/pagination.ts";
import { planFewerRows } from "../../storage/rows-per-user.ts";
import type { TeamMembersTable, TeamsTable } from "../../storage/tables/team-tables.ts";
import type { TokenRow } from "../tokens/token-store.ts";

/** `TeamRow` comes with the wallet and the counts of those who did not leave and of keys. */
export type TeamRow = Selectable<TeamsTable> &
  Record<"balance" | "held" | "debt" | "members" | "keys", number>;
export type TeamMemberRow = Selectable<TeamMembersTable> & {
  username: string;
  display_name: string;
  user_status: number;
  keys: number;
};
export type NamedTokenRow = TokenRow & { username: string | null };
/** `Membership` is what decides about the rights of a user in a team. */
export type Membership = Pick<TeamMemberRow, "role" | "left_at">;
type MemberOfTeam = Pick<TeamMemberRow, "id" | "team_id" | "user_id">;
/** `TeamVersion` is a team as someone read it. */
type TeamVersion = Pick<TeamRow, "id" | "updated_at">;
type TeamColumns = Omit<Insertable<TeamsTable>, "wallet_id">;

/** A team is small enough to be shown on one page. */
const membersMax = 1_000;

export type TeamStore = ReturnType<typeof createTeamStore>;

export function createTeamStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const living = () =>
    sql
      .selectFrom("teams")
      .innerJoin("wallets", "wallets.id", "teams.wallet_id")
      .where(isOtherThan("teams.status", teamStatus.deleted));
  const keysOf = (condition: ReturnType<typeof raw<boolean>>) =>
    sql
      .selectFrom("tokens")
      .where(condition)
      .select(({ fn }) => fn.countAll<number>().as("count"));
  const withCounts = (found: ReturnType<typeof living>) =>
    found
      .selectAll("teams")
      .select(["wallets.balance", "wallets.held", "wallets.debt"])
      .select([
        keysOf(raw<boolean>`tokens.team_id = teams.id`).as("keys"),
        sql
          .selectFrom("team_members")
          .where(raw<boolean>`team_members.team_id = teams.id`)
          .where("left_at", "is", null)
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .as("members"),
      ]);
  const present = (userId: number) =>
    sql
      .selectFrom("team_members")
      .select("team_id")
      .where("user_id", "=", userId)
      .where("left_at", "is", null);
  const members = (teamId: number) =>
    sql
      .selectFrom("team_members")
      .innerJoin("users", "users.id", "team_members.user_id")
      .where("team_members.team_id", "=", teamId)
      .where("users.status", "<>", 3)
      .selectAll("team_members")
      .select(["users.username", "users.display_name", "users.status as user_status"])
      .select(
        keysOf(
          raw<boolean>`tokens.team_id = team_members.team_id and tokens.user_id = team_members.user_id`,
        ).as("keys"),
      );
  const tokens = (teamId: number) =>
    sql
      .selectFrom("tokens")
      .leftJoin("users", "users.id", "tokens.user_id")
      .where("tokens.team_id", "=", teamId);

  const managementKeysOf = (teamId: number) =>
    sql
      .updateTable("management_keys")
      .set({ disabled: 1 })
      .where("team_id", "=", teamId)
      .where("disabled", "=", 0);

  return {
    /** `page` gives those of a user, or the one; undefined for all. */
    async page(
      { userId, teamId }: { userId: number | undefined; teamId: number | undefined },
      query: QueryOf<typeof listTeams>,
    ): Promise<PagedRows<TeamRow>> {
      const found = living()
        .where(matchesKeyword("teams", ["name"], query.keyword))
        .$if(userId !== undefined, (teams) => teams.where("teams.id", "in", present(userId ?? 0)))
        .$if(teamId !== undefined, (teams) => teams.where("teams.id", "=", teamId ?? 0))
        .$if(query.external_id !== undefined, (teams) =>
          teams.where("teams.external_id", "=", query.external_id ?? ""),
        );
      const counted = found.select("teams.id");
      const idColumn = raw.ref("teams.id");
      const { rows, ...total } = await readPagedList(
        { sql, read },
        { rows: withCounts(found), counted, sortColumns: {}, idColumn, query },
      );
      return { rows: rows as TeamRow[], ...total };
    },

    async find(reference: Reference): Promise<TeamRow | undefined> {
      const [row] = await read(withCounts(living()).where(byReference("teams", reference)));
      return row as TeamRow | undefined;
    },

    /** `members` gives those who are in the team. */
    members: (teamId: number): Promise<TeamMemberRow[]> =>
      read(
        members(teamId)
          .where("team_members.left_at", "is", null)
          .orderBy("team_members.id")
          .limit(membersMax),
      ) as Promise<TeamMemberRow[]>,

    /**
     * `membershipsOf` are those of one user in these teams, by the id of the team: one read for a
     * page of teams.
     */
    async membershipsOf(
      userId: number,
      teamIds: readonly number[],
    ): Promise<ReadonlyMap<number, Membership>> {
      if (teamIds.length === 0) return new Map();
      const found = sql
        .selectFrom("team_members")
        .select(["team_id", "role", "left_at"])
        .where("user_id", "=", userId);
      const rows = await read(found.where("team_id", "in", teamIds));
      return new Map(rows.map(({ team_id, ...membership }) => [team_id, membership]));
    },

    /** `member` finds one who has left too. */
    async member(teamId: number, userId: number): Promise<TeamMemberRow | undefined> {
      const [row] = await read(members(teamId).where("team_members.user_id", "=", userId));
      return row as TeamMemberRow | undefined;
    },

    async tokens(
      teamId: number,
      userId: number | undefined,
      query: PageQuery,
    ): Promise<PagedRows<NamedTokenRow>> {
      const found = tokens(teamId).$if(userId !== undefined, (rows) =>
        rows.where("tokens.user_id", "=", userId ?? 0),
      );
      const counted = found.select("tokens.id");
      const rows = found.selectAll("tokens").select("users.username");
      return readPagedList(
        { sql, read },
        { rows, counted, sortColumns: {}, idColumn: raw.ref("tokens.id"), query },
      );
    },

    async token(teamId: number, reference: Reference): Promise<NamedTokenRow | undefined> {
      const found = tokens(teamId).selectAll("tokens").select("users.username");
      return (await read(found.where(byReference("tokens", reference))))[0];
    },

    /** `tokensMadeAt` gives the keys of members that one request of `makerId` made. */
    tokensMadeAt: (teamId: number, makerId: number, at: number): Promise<TokenRow[]> =>
      read(
        sql
          .selectFrom("tokens")
          .selectAll()
          .where("team_id", "=", teamId)
          .where("made_by", "=", makerId)
          .where("created_at", "=", at),
      ),

    /**
     * `insert` adds a wallet and the owner's membership, found by uuid: ids do not exist before the
     * batch runs.
     */
    insert: (row: TeamColumns, walletUuid: string): Write[] => [
      {
        query: sql.insertInto("wallets").values({ uuid: walletUuid, created_at: row.created_at }),
        rows: 1,
      },
      {
        query: sql.insertInto("teams").values({
          ...row,
          wallet_id: sql.selectFrom("wallets").select("id").where("uuid", "=", walletUuid),
        }),
        rows: 1,
        conflict: { teams_name: "team_name_taken", teams_external_id: "external_id_taken" },
      },
      {
        query: sql.insertInto("team_members").values({
          team_id: sql.selectFrom("teams").select("id").where("uuid", "=", row.uuid),
          ...{
            user_id: row.owner_id,
            role: "admin",
            created_at: row.created_at,
            updated_at: row.created_at,
          },
        }),
        rows: 1,
      },
    ],

    /** Misses where the user owns `max` living teams or more. */
    requireFewerOwned: (userId: number, max: number): Write[] =>
      planFewerRows(
        { sql },
        userId,
        sql
          .selectFrom("teams")
          .where("owner_id", "=", userId)
          .where("status", "<>", teamStatus.deleted)
          .select(({ fn }) => fn.countAll<number>().as("count")),
        { max, missed: "teams_full" },
      ),

    /** Misses when the row changed after it was read. */
    update: ({ id, updated_at }: TeamVersion, change: Updateable<TeamsTable>): Write => ({
      query: sql
        .updateTable("teams")
        .set(change)
        .where("id", "=", id)
        .where("updated_at", "=", updated_at)
        .where("status", "<>", teamStatus.deleted),
      rows: 1,
      missed: "changed_meanwhile",
      conflict: { teams_name: "team_name_taken", teams_external_id: "external_id_taken" },
    }),

    /**
     * Adds a member, revives one who left, or changes the role of one who is there. From then on
     * the membership is by hand, or that of the provider.
     */
    putMember: (
      team_id: number,
      user_id: number,
      role: TeamRole,
      at: number,
      by_provider = "",
    ): Write => ({
      query: sql
        .insertInto("team_members")
        .values({ team_id, user_id, role, by_provider, created_at: at, updated_at: at })
        .onConflict((conflict) =>
          conflict
            .columns(["team_id", "user_id"])
            .doUpdateSet({ role, by_provider, left_at: null, updated_at: at }),
        ),
      rows: 1,
    }),

    /**
     * The member leaves, and so do the member's keys, management keys of the team among them:
     * rejoining does not start them again.
     */
    removeMember: ({ id, team_id, user_id }: MemberOfTeam, at: number): Write[] => [
      {
        query: sql
          .updateTable("team_members")
          .set({ left_at: at, updated_at: at })
          .where("id", "=", id)
          .where("left_at", "is", null),
        rows: 1,
        missed: "changed_meanwhile",
      },
      {
        query: sql
          .updateTable("tokens")
          .set({ status: tokenStatus.disabled, updated_at: at })
          .where("team_id", "=", team_id)
          .where("user_id", "=", user_id)
          .where("status", "<>", tokenStatus.disabled),
      },
      { query: managementKeysOf(team_id).where("user_id", "=", user_id) },
      {
        query: sql
          .deleteFrom("team_key_offers")
          .where("team_id", "=", team_id)
          .where("user_id", "=", user_id),
      },
    ],

    /**
     * A team whose owner is disabled, gone, or no admin by the rules of a provider gets the oldest
     * of its other enabled admins. Run from time to time.
     */
    passOn(at: number): Write {
      const admins = sql
        .selectFrom("team_members")
        .where(raw<boolean>`team_members.team_id = teams.id`)
        .where("role", "=", "admin")
        .where("left_at", "is", null)
        .where(
          raw<boolean>`exists (select 1 from users where users.id = team_members.user_id and users.status = 1)`,
        )
        .select("user_id");
      const heir = admins.orderBy("team_members.id").limit(1);
      return {
        query: sql
          .updateTable("teams")
          .set({
            owner_id: raw<number>`${heir}`,
            updated_at: raw`case when updated_at < ${at} then ${at} else updated_at + 1 end`,
          })
          .where("status", "<>", teamStatus.deleted)
          .where(raw<boolean>`teams.owner_id not in ${admins}`)
          .where(raw<boolean>`exists ${heir}`)
          .returning("id"),
      };
    },

    disableTokens: (teamId: number, at: number): Write => ({
      query: sql
        .updateTable("tokens")
        .set({ status: tokenStatus.disabled, updated_at: at })
        .where("team_id", "=", teamId)
        .where("status", "<>", tokenStatus.disabled),
    }),

    /** Misses where the team has changed after it was read. */
    requireUnchanged: ({ id, updated_at }: TeamRow): Write => ({
      query: sql
        .updateTable("teams")
        .set(({ ref }) => ({ status: ref("status") }))
        .where("id", "=", id)
        .where("updated_at", "=", updated_at)
        .where("status", "=", teamStatus.enabled),
      rows: 1,
      missed: "changed_meanwhile",
    }),

    endKeyOffers: (teamId: number): Write => ({
      query: sql.deleteFrom("team_key_offers").where("team_id", "=", teamId),
    }),

    /** `takeOver` ends what the file owns of a team: its budgets, and those of its members. */
    takeOver: (teamId: number): Write[] => [
      {
        query: sql
          .updateTable("budget_templates")
          .set({ managed_by: "" })
          .where("team_id", "=", teamId)
          .where("managed_by", "<>", ""),
      },
      {
        query: sql
          .updateTable("budgets")
          .set({ managed_by: "" })
          .where("subject", "=", "team")
          .where("subject_id", "=", teamId)
          .where("managed_by", "<>", ""),
      },
    ],

    disableManagementKeys: (teamId: number): Write => ({ query: managementKeysOf(teamId) }),

    setTokenStatus: ({ id, updated_at }: TokenRow, status: number, at: number): Write => ({
      query: sql
        .updateTable("tokens")
        .set({ status, updated_at: Math.max(at, updated_at + 1) })
        .where("id", "=", id)
        .where("updated_at", "=", updated_at),
      rows: 1,
      missed: "changed_meanwhile",
    }),

    /**
     * Misses where running calls hold something: it locks the wallet, so that none begins
     * meanwhile.
     */
    requireIdle: (walletId: number, missed: ErrorCode): Write => ({
      query: sql
        .updateTable("wallets")
        .set(({ ref }) => ({ held: ref("held") }))
        .where("id", "=", walletId)
        .where("held", "=", 0),
      rows: 1,
      missed,
    }),
  };
}
