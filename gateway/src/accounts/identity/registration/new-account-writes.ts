/** The statements that create a new account, for one batch: wallet, gifts, log rows and a token. */

import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import { grantWrites } from "../../../money/grant-writes.ts";
import { formatQuotaText } from "../../../money/quota-text.ts";
import { hashMailbox } from "../../../notices/mail/mail-code-rules.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import type { OptionReader } from "../../../settings/live-options.ts";
import type { Database, Write } from "../../../storage/database.ts";
import { buildEventRow } from "../../../storage/event-row.ts";
import { planDefaultToken } from "../../tokens/default-token.ts";
import type { UserStore } from "../users/user-store.ts";
import type { WelcomeGift } from "./registration-rules.ts";

export interface WalletHolder {
  uuid: string;
  username: string;
  walletUuid: string;
}

export interface NewAccount extends WalletHolder {
  email: string;
  /** `isEmailProved` says whether a mailed code came with the address. */
  isEmailProved: boolean;
  passwordHash: string;
  inviter: (WalletHolder & { id: number }) | undefined;
  gifts: readonly WelcomeGift[];
  now: number;
}

interface NewAccountWritesDeps {
  db: Database;
  users: UserStore;
  options: OptionReader;
  seal: Sealer;
}

const displayNameMax = 20;

export function planAccountWrites(
  { db, users, options, seal }: NewAccountWritesDeps,
  account: NewAccount,
): Write[] {
  const { uuid, username, email, isEmailProved, passwordHash, inviter, gifts, now } = account;
  const { sql } = db;
  /** The id does not exist before the batch runs. */
  const idOf = (owner: WalletHolder) =>
    sql.selectFrom("users").select("id").where("uuid", "=", owner.uuid);

  const giftWrites = ({ to, amount, reason, event }: WelcomeGift): Write[] => {
    const id = db.mintId();
    const holder = to === "inviter" && inviter ? inviter : account;
    const content = `${formatQuotaText(amount, options)} ${reason}`;
    const logRow = buildEventRow({
      id,
      type: logTypes.system,
      user_id: 0,
      username: holder.username,
      quota: amount,
      content,
      event,
    });
    return [
      ...grantWrites(db, { id, wallet: { uuid: holder.walletUuid }, amount, at: now }),
      { query: sql.insertInto("logs").values({ ...logRow, user_id: idOf(holder) }), rows: 1 },
    ];
  };

  const row = {
    uuid,
    username,
    display_name: username.slice(0, displayNameMax),
    email,
    email_verified_at: isEmailProved ? now : null,
    password_hash: passwordHash,
    must_change_password: 0 as const,
    role: roles.user,
    status: userStatus.enabled,
    group: "default",
    access_token_hash: null,
    inviter_id: inviter?.id ?? null,
    created_at: now,
    updated_at: now,
  };
  const welcome = sql
    .insertInto("welcomed_addresses")
    .values({ address_hash: hashMailbox(email), created_at: now });
  return [
    ...users.insertWithWallet(row, account.walletUuid),
    ...gifts.flatMap(giftWrites),
    ...(gifts.length > 0 && email !== "" ? [{ query: welcome, rows: 1 }] : []),
    ...planDefaultToken(db, seal, uuid, now),
  ];
}
