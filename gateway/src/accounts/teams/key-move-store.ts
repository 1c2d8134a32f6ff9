/**
 * SQL on keys that move between the wallets of accounts and teams. Whose key it is, whether the
 * owner is still in the team and whether somebody was quicker, the statements decide.
 */
import { keyOfferDays } from "@tollgate/contract/accounts/team-key-moves.ts";
import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import { sql as raw, type Selectable } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import type { TeamKeyOffersTable } from "../../storage/tables/team-tables.ts";
import type { TokenRow } from "../tokens/token-store.ts";
import { planFewerKeys, requireLiving, requireUser } from "./team-guards.ts";

const offerMs = keyOfferDays * 24 * 3_600_000;
/** More keys wait for no admin. */
const offersMax = 500;

export type KeyOfferRow = Selectable<TeamKeyOffersTable>;
type MovedKey = Pick<TokenRow, "id" | "user_id" | "updated_at">;

export type KeyMoveStore = ReturnType<typeof createKeyMoveStore>;

export function createKeyMoveStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const isOpen = (teamId: number, now: number) =>
    sql
      .selectFrom("team_key_offers")
      .innerJoin("tokens", "tokens.id", "team_key_offers.token_id")
      .where("team_key_offers.team_id", "=", teamId)
      .where("team_key_offers.expires_at", ">", now)
      .whereRef("tokens.user_id", "=", "team_key_offers.user_id")
      .where("tokens.team_id", "is", null);

  return {
    async ownKey(userId: number, tokenId: number): Promise<TokenRow | undefined> {
      const found = sql.selectFrom("tokens").selectAll().where("id", "=", tokenId);
      const [row] = await read(found.where("user_id", "=", userId).where("team_id", "is", null));
      return row;
    },

    /** `offers` gives those of a user; undefined for all. */
    offers: (teamId: number, userId: number | undefined, now: number): Promise<KeyOfferRow[]> =>
      read(
        isOpen(teamId, now)
          .$if(userId !== undefined, (all) =>
            all.where("team_key_offers.user_id", "=", userId ?? 0),
          )
          .selectAll("team_key_offers")
          .orderBy("team_key_offers.created_at")
          .orderBy("team_key_offers.token_id")
          .limit(offersMax),
      ),

    async offer(teamId: number, tokenId: number, now: number): Promise<KeyOfferRow | undefined> {
      const found = isOpen(teamId, now).where("team_key_offers.token_id", "=", tokenId);
      return (await read(found.selectAll("team_key_offers")))[0];
    },

    tokens: async (ids: readonly number[]): Promise<ReadonlyMap<number, TokenRow>> => {
      if (ids.length === 0) return new Map();
      const rows = await read(sql.selectFrom("tokens").selectAll().where("id", "in", ids));
      return new Map(rows.map((row) => [row.id, row]));
    },

    /** The newest offer of a key counts, whichever team it was offered to before. */
    put: (
      offer: Pick<KeyOfferRow, "token_id" | "team_id" | "user_id" | "terms">,
      now: number,
    ): Write[] => [
      { query: sql.deleteFrom("team_key_offers").where("token_id", "=", offer.token_id) },
      {
        query: sql
          .insertInto("team_key_offers")
          .values({ ...offer, created_at: now, expires_at: now + offerMs }),
        rows: 1,
      },
    ],

    take: ({ token_id, team_id, terms }: KeyOfferRow): Write => ({
      query: sql
        .deleteFrom("team_key_offers")
        .where("token_id", "=", token_id)
        .where("team_id", "=", team_id)
        .where("terms", "=", terms),
      rows: 1,
      missed: "key_offer_not_found",
    }),

    /**
     * From the next call on the team pays. Running calls keep the wallet that holds for them, and
     * the pool of the key ends with the last of them.
     */
    moveIn: (
      { id, user_id, updated_at }: MovedKey,
      teamId: number,
      max: number,
      at: number,
    ): Write[] => [
      requireLiving({ sql }, teamId),
      requireUser({ sql }, teamId, user_id, "changed_meanwhile"),
      ...planFewerKeys({ sql }, user_id, teamId, max),
      {
        query: sql
          .updateTable("tokens")
          .set({
            team_id: teamId,
            moved_at: at,
            bodies: "",
            updated_at: Math.max(at, updated_at + 1),
          })
          .where("id", "=", id)
          .where("user_id", "=", user_id)
          .where("team_id", "is", null)
          .where("updated_at", "=", updated_at)
          .where(raw<boolean>`exists (
            select 1 from teams where id = ${teamId} and status = ${teamStatus.enabled})`),
        rows: 1,
        missed: "changed_meanwhile",
      },
    ],

    moveOut: (
      { id, user_id, updated_at }: MovedKey,
      teamId: number,
      max: number,
      at: number,
    ): Write[] => [
      ...planFewerKeys({ sql }, user_id, null, max),
      {
        query: sql
          .updateTable("tokens")
          .set({ team_id: null, moved_at: at, updated_at: Math.max(at, updated_at + 1) })
          .where("id", "=", id)
          .where("user_id", "=", user_id)
          .where("team_id", "=", teamId)
          .where("updated_at", "=", updated_at),
        rows: 1,
        missed: "changed_meanwhile",
      },
    ],
  };
}

/** Run by the purge of expired rows. */
export const purgeKeyOffers = ({ sql }: Pick<Database, "sql">, now: number): Write => ({
  query: sql.deleteFrom("team_key_offers").where("expires_at", "<=", now),
});
