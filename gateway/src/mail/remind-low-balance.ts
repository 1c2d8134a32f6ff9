/** Mails whoever has just come below the threshold, once for each time. The claim of a notice decides among nodes. */
import { userStatus } from "@tollgate/contract/users.ts";
import { quotaText } from "../money/quota-text.ts";
import type { OptionReader } from "../settings/live-options.ts";
import { type Database, tryWrite } from "../storage/database.ts";
import { dayOf } from "../storage/rollups.ts";
import { lowBalanceMail } from "./mail-messages.ts";
import { mailSiteOf } from "./mail-outbox.ts";
import type { Mailer } from "./mailer.ts";

/** In one turn; the rest follows in the next ones. */
const remindersMax = 50;

interface LowBalanceDeps {
  db: Database;
  options: OptionReader;
  mailer: Mailer;
  publicUrl: string | undefined;
}

/** Looks at those alone who made calls today or yesterday: a balance falls by calls, and the roll-ups know whose. */
export async function remindLowBalance(deps: LowBalanceDeps, now: number): Promise<void> {
  const { db, options, mailer } = deps;
  const threshold = options.number("QuotaRemindThreshold");
  if (threshold === 0 || !mailer.isConfigured()) return;
  await db.write([purgeRecovered(db, threshold)]);
  for (const { wallet_id, email, username, balance } of await db.read(unnotifiedWallets(db, threshold, now))) {
    const claim = db.sql.insertInto("low_balance_notices").values({ wallet_id, told_at: now });
    // Rejected when another node has claimed this notice.
    if (await tryWrite(db, [{ query: claim, rows: 1 }])) continue;
    // Log rows write a full-width sign.
    const left = quotaText(balance, options).normalize("NFKC");
    mailer.enqueue("low balance", async () => lowBalanceMail(email, mailSiteOf(deps), { username, left }));
  }
}

/** One look for each notice: there are few of those and many wallets. */
const purgeRecovered = ({ sql }: Database, threshold: number) => ({
  query: sql.deleteFrom("low_balance_notices").where(({ exists, selectFrom }) => {
    const wallet = selectFrom("wallets").select("id").whereRef("wallets.id", "=", "low_balance_notices.wallet_id");
    return exists(wallet.where("balance", ">=", threshold));
  }),
});

function unnotifiedWallets({ sql }: Database, threshold: number, now: number) {
  const notified = sql.selectFrom("low_balance_notices").select("wallet_id");
  return sql
    .selectFrom("users")
    .innerJoin("wallets", "wallets.id", "users.wallet_id")
    .select(["users.wallet_id", "users.email", "users.username", "wallets.balance"])
    .where(
      "users.id",
      "in",
      sql
        .selectFrom("rollup_day_user_model")
        .select("user_id")
        .where("day", ">=", dayOf(now) - 1),
    )
    .where("users.status", "=", userStatus.enabled)
    .where("users.email", "<>", "")
    .where("wallets.balance", "<", threshold)
    .where("users.wallet_id", "not in", notified)
    .where("users.used_quota", ">", 0)
    .limit(remindersMax);
}
