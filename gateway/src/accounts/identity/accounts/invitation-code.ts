/**
 * Short codes, one for each user, to be passed on by word of mouth: created once, unique, never
 * changed.
 */
import { randomInt } from "node:crypto";
import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { type Database, tryWrite, type Write } from "../../../storage/database.ts";

/** `alphabet` comes without letters and digits that are easily mixed up. */
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
const codeLength = 4;
/**
 * `attemptsMax` comes with a million users one code in ten is taken; twenty taken codes in a row do
 * not happen.
 */
const attemptsMax = 20;

export const makeInvitationCode = () =>
  Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join("");

export interface InvitationCodes {
  /** Undefined before the first call of `findOrCreate`. */
  find(userId: number): Promise<string | undefined>;
  /** The inviting user, as long as that account is enabled. */
  findInviter(
    code: string,
  ): Promise<{ id: number; uuid: string; username: string; walletUuid: string } | undefined>;
  /** The user's code. `record` returns the statements that are written together with a new one. */
  findOrCreate(userId: number, now: number, record: () => Write[]): Promise<string>;
}

export function createInvitationCodes(
  db: Database,
  newCode: () => string = makeInvitationCode,
): InvitationCodes {
  const { sql, read } = db;

  const find = async (userId: number): Promise<string | undefined> => {
    const [row] = await read(
      sql.selectFrom("invitation_codes").select("code").where("user_id", "=", userId),
    );
    return row?.code;
  };

  return {
    find,

    async findInviter(code) {
      const [row] = await read(
        sql
          .selectFrom("invitation_codes")
          .innerJoin("users", "users.id", "invitation_codes.user_id")
          .innerJoin("wallets", "wallets.id", "users.wallet_id")
          .select(["users.id", "users.uuid", "users.username", "wallets.uuid as walletUuid"])
          .where("invitation_codes.code", "=", code)
          .where("users.status", "=", userStatus.enabled),
      );
      return row;
    },

    async findOrCreate(userId, now, record) {
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        const existing = await find(userId);
        if (existing !== undefined) return existing;
        const code = newCode();
        const row = { user_id: userId, code, created_at: now };
        // Rejected when another user has the code, or the same user asked twice at once: the next
        // attempt finds out.
        if (
          !(await tryWrite(db, [
            { query: sql.insertInto("invitation_codes").values(row), rows: 1 },
            ...record(),
          ]))
        )
          return code;
      }
      throw new Error(`no free invitation code in ${attemptsMax} attempts`);
    },
  };
}
