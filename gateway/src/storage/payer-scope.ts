/**
 * The payer whose rows a list or a sum is about, as a condition on tables whose rows name an
 * account and a team.
 */
import { type RawBuilder, sql as raw } from "kysely";

/**
 * `PayerScope` with `userId` alone is what an account's own wallet paid, with `teamId` what a team
 * paid, with both what one member's keys cost the team, and with neither the whole site.
 */
export interface PayerScope {
  userId?: number | undefined;
  teamId?: number | undefined;
}

export const isWholeSite = ({ userId, teamId }: PayerScope): boolean =>
  userId === undefined && teamId === undefined;

/** `none` is what the table's `team_id` is where the account paid. */
function buildCondition(
  { userId, teamId }: PayerScope,
  prefix: string,
  none: RawBuilder<boolean>,
): RawBuilder<boolean> {
  const [user, team] = [raw.ref(`${prefix}user_id`), raw.ref(`${prefix}team_id`)];
  const parts = [
    ...(teamId === undefined
      ? userId === undefined
        ? []
        : [none]
      : [raw<boolean>`${team} = ${teamId}`]),
    ...(userId === undefined ? [] : [raw<boolean>`${user} = ${userId}`]),
  ];
  return parts.length === 0 ? raw<boolean>`1 = 1` : raw<boolean>`${raw.join(parts, raw` and `)}`;
}

/** `isPaidBy` is for `logs` and `tokens`, whose rows have no team where the account pays. */
export const isPaidBy = (payer: PayerScope, table?: string): RawBuilder<boolean> => {
  const prefix = table === undefined ? "" : `${table}.`;
  return buildCondition(payer, prefix, raw<boolean>`${raw.ref(`${prefix}team_id`)} is null`);
};

/** `isKeptFor` is for rows that are kept with 0 for no team, such as runs. */
export const isKeptFor = (payer: PayerScope, table: string): RawBuilder<boolean> =>
  buildCondition(payer, `${table}.`, raw<boolean>`${raw.ref(`${table}.team_id`)} = 0`);

/**
 * `isSinceMove` is for the days of keys, which do not say who paid: of a key that moved, those since
 * the day of the move alone are its payer's. What is before stands without a name.
 */
export const isSinceMove = (tokenId: string, day: string): RawBuilder<boolean> => {
  const moved = raw`select id from tokens where moved_at is not null`;
  const at = raw`select moved_at from tokens where tokens.id = ${raw.ref(tokenId)}`;
  return raw<boolean>`(${raw.ref(tokenId)} not in (${moved}) or ${raw.ref(day)} * 86400000 > (${at}))`;
};
