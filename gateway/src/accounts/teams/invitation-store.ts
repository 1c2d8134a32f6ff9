/**
 * SQL on invitations into teams. Who has the name, who may answer and whether one is still open,
 * the statements decide.
 */
import {
  invitationDays,
  openInvitationsMax,
} from "@tollgate/contract/accounts/team-invitations.ts";
import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import { type Insertable, type RawBuilder, sql as raw } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import { planFewerRows } from "../../storage/rows-per-user.ts";
import type { TeamInvitationsTable } from "../../storage/tables/team-tables.ts";

export const invitationMs = invitationDays * 24 * 3_600_000;

/** `InvitationRow` comes with the names of the team and of who invited. */
export type InvitationRow = Omit<TeamInvitationsTable, "id"> & {
  id: number;
  team_name: string;
  inviter: string;
};

interface Invited {
  id: number;
  /** The address in lower case and proved; empty for none. */
  email: string;
}

const findInvited = ({ id, email }: Invited): RawBuilder<boolean> =>
  email === ""
    ? raw<boolean>`invitations.user_id = ${id}`
    : raw<boolean>`(invitations.user_id = ${id} or lower(invitations.email) = ${email})`;

export type InvitationStore = ReturnType<typeof createInvitationStore>;

export function createInvitationStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const open = (now: number) =>
    sql
      .selectFrom("team_invitations as invitations")
      .innerJoin("teams", "teams.id", "invitations.team_id")
      .innerJoin("users", "users.id", "invitations.invited_by")
      .where("teams.status", "<>", teamStatus.deleted)
      .where("invitations.expires_at", ">", now)
      .selectAll("invitations")
      .select(["teams.name as team_name", "users.username as inviter"]);
  const rows = (found: ReturnType<typeof open>): Promise<InvitationRow[]> =>
    read(found.orderBy("invitations.id").limit(openInvitationsMax)) as Promise<InvitationRow[]>;

  return {
    /**
     * Replaces an earlier one for the same name or address, and misses where the team has too many.
     */
    put(row: Omit<Insertable<TeamInvitationsTable>, "user_id">): Write[] {
      const { team_id, recipient, email } = row;
      const mine = sql.deleteFrom("team_invitations").where("team_id", "=", team_id);
      const count = sql
        .selectFrom("team_invitations")
        .where("team_id", "=", team_id)
        .where("expires_at", ">", row.created_at)
        .select(({ fn }) => fn.countAll<number>().as("count"));
      // Whether there is such an account changes neither the statement nor its reply.
      const account = sql
        .selectFrom("users")
        .select("id")
        .where("username", "=", recipient)
        .where("status", "<>", 3);
      return [
        { query: mine.where(raw<boolean>`lower(recipient) = lower(${recipient})`) },
        ...planFewerRows({ sql }, { teamId: team_id }, count, {
          ...{ max: openInvitationsMax, missed: "too_many_invitations" },
        }),
        {
          query: sql
            .insertInto("team_invitations")
            .values({ ...row, user_id: email === null ? account : null }),
          rows: 1,
          conflict: { team_invitations_recipient: "changed_meanwhile" },
        },
      ];
    },

    async find(teamId: number, id: number, now: number): Promise<InvitationRow | undefined> {
      const [row] = await rows(
        open(now).where("invitations.team_id", "=", teamId).where("invitations.id", "=", id),
      );
      return row;
    },

    async last(teamId: number, recipient: string, now: number): Promise<InvitationRow | undefined> {
      const found = open(now).where("invitations.team_id", "=", teamId);
      return (await rows(found.where(raw<boolean>`lower(recipient) = lower(${recipient})`)))[0];
    },

    ofTeam: (teamId: number, now: number): Promise<InvitationRow[]> =>
      rows(open(now).where("invitations.team_id", "=", teamId)),

    /** `received` finds invitations by the account, and by the address that it has proved. */
    received: ({ id, email }: Invited, now: number): Promise<InvitationRow[]> =>
      rows(open(now).where(findInvited({ id, email }))),

    async byCode(codeHash: string, now: number): Promise<InvitationRow | undefined> {
      return (await rows(open(now).where("invitations.code_hash", "=", codeHash)))[0];
    },

    /**
     * `giveTo` makes it the invitation of an account that the same batch makes: its link opens
     * nothing any more. Misses as `consume` does.
     */
    giveTo: ({ id, code_hash }: InvitationRow, userUuid: string, now: number): Write => ({
      query: sql
        .updateTable("team_invitations")
        .set({
          user_id: raw<number>`(select id from users where uuid = ${userUuid})`,
          code_hash: null,
        })
        .where("id", "=", id)
        .where("code_hash", "=", code_hash ?? "")
        .where("expires_at", ">", now),
      rows: 1,
      missed: "invitation_not_found",
    }),

    /** `consume` works once: it misses where the invitation is answered, withdrawn or over. */
    consume: ({ id, code_hash }: InvitationRow, now: number): Write => ({
      query: sql
        .deleteFrom("team_invitations")
        .where("id", "=", id)
        .where("expires_at", ">", now)
        .where(raw<boolean>`coalesce(code_hash, '') = ${code_hash ?? ""}`),
      rows: 1,
      missed: "invitation_not_found",
    }),

    /** Someone who is in the team keeps the role. Misses where the team is gone. */
    join: ({ team_id, role }: InvitationRow, user_id: number, at: number): Write => ({
      query: sql
        .insertInto("team_members")
        .columns(["team_id", "user_id", "role", "created_at", "updated_at"])
        .expression(
          sql
            .selectFrom("teams")
            .where("id", "=", team_id)
            .where("status", "<>", teamStatus.deleted)
            .select([
              "id",
              raw<number>`cast(${user_id} as bigint)`.as("user_id"),
              raw<string>`cast(${role} as text)`.as("role"),
              raw<number>`cast(${at} as bigint)`.as("created_at"),
              raw<number>`cast(${at} as bigint)`.as("updated_at"),
            ]),
        )
        .onConflict((conflict) =>
          conflict.columns(["team_id", "user_id"]).doUpdateSet({
            role: raw`case when team_members.left_at is null then team_members.role else excluded.role end`,
            by_provider: raw`case when team_members.left_at is null then team_members.by_provider else '' end`,
            ...{ left_at: null, updated_at: at },
          }),
        ),
      rows: 1,
      missed: "invitation_not_found",
    }),

    /** The team changes hands. Misses where the new owner is no longer one of its admins. */
    takeOver: ({ team_id }: InvitationRow, userId: number, at: number): Write => ({
      query: sql
        .updateTable("teams")
        .set({
          owner_id: userId,
          updated_at: raw`case when updated_at < ${at} then ${at} else updated_at + 1 end`,
        })
        .where("id", "=", team_id)
        .where("status", "<>", teamStatus.deleted)
        .where(({ exists }) =>
          exists(
            sql
              .selectFrom("team_members")
              .select("id")
              .where("team_id", "=", team_id)
              .where("user_id", "=", userId)
              .where("role", "=", "admin")
              .where("left_at", "is", null),
          ),
        ),
      rows: 1,
      missed: "invitation_not_found",
    }),

    /** An offer ends when the team has changed hands. */
    endOffers: (teamId: number): Write => ({
      query: sql
        .deleteFrom("team_invitations")
        .where("team_id", "=", teamId)
        .where("role", "=", "owner"),
    }),

    /** `endOf` ends what someone offered with the right to offer it. */
    endOf: (teamId: number, inviterId: number): Write => ({
      query: sql
        .deleteFrom("team_invitations")
        .where("team_id", "=", teamId)
        .where("invited_by", "=", inviterId),
    }),

    remove: (teamId: number, id: number): Write => ({
      query: sql.deleteFrom("team_invitations").where("team_id", "=", teamId).where("id", "=", id),
      rows: 1,
      missed: "invitation_not_found",
    }),
  };
}

/** Run by the purge of expired rows. */
export const purgeInvitations = ({ sql }: Pick<Database, "sql">, now: number): Write => ({
  query: sql.deleteFrom("team_invitations").where("expires_at", "<=", now),
});
