/** Everything that a new account begins with, as statements of one batch: wallet, gifts, log rows and a token. */
import { logTypes } from "@tollgate/contract/logs.ts";
import { roles, userStatus } from "@tollgate/contract/users.ts";
import { eventRow } from "../logs/event-row.ts";
import { mailboxHash } from "../mail/mail-code-rules.ts";
import { grantWrites } from "../money/grant-writes.ts";
import { quotaText } from "../money/quota-text.ts";
import type { Sealer } from "../secrets/seal.ts";
import type { Options } from "../settings/options.ts";
import type { Database, Write } from "../storage/database.ts";
import { firstToken } from "../tokens/first-token.ts";
import type { UserStore } from "../users/user-store.ts";
import type { Gift } from "./registration-rules.ts";

export interface Holder {
  uuid: string;
  username: string;
  walletUuid: string;
}

export interface NewAccount extends Holder {
  email: string;
  passwordHash: string;
  inviter: (Holder & { id: number }) | undefined;
  gifts: readonly Gift[];
  now: number;
}

interface Parts {
  db: Database;
  users: UserStore;
  options: Options;
  seal: Sealer;
}

const displayNameMax = 20;

export function accountWrites({ db, users, options, seal }: Parts, account: NewAccount): Write[] {
  const { uuid, username, email, passwordHash, inviter, gifts, now } = account;
  const { sql } = db;
  /** The id comes into being within the batch. */
  const idOf = (of: Holder) => sql.selectFrom("users").select("id").where("uuid", "=", of.uuid);

  const give = ({ to, amount, reason }: Gift): Write[] => {
    const id = db.mintId();
    const holder = to === "inviter" && inviter ? inviter : account;
    const content = `${quotaText(amount, options)} ${reason}`;
    const told = eventRow({ id, type: logTypes.system, user_id: 0, username: holder.username, quota: amount, content });
    return [
      ...grantWrites(db, { id, wallet: { uuid: holder.walletUuid }, amount, at: now }),
      { query: sql.insertInto("logs").values({ ...told, user_id: idOf(holder) }), rows: 1 },
    ];
  };

  const row = {
    uuid,
    username,
    display_name: username.slice(0, displayNameMax),
    email,
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
  const welcome = sql.insertInto("welcomed_addresses").values({ address_hash: mailboxHash(email), created_at: now });
  return [
    ...users.insertWithWallet(row, account.walletUuid),
    ...gifts.flatMap(give),
    ...(gifts.length > 0 && email !== "" ? [{ query: welcome, rows: 1 }] : []),
    firstToken(db, seal, uuid, now),
  ];
}
