/**
 * Mails users whose balance has fallen below the threshold, once per fall. Among nodes, the one
 * that inserts the notice sends the mail.
 */

import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { buildAlertRuleSettings } from "@tollgate/contract/notices/alert-rule-settings.ts";
import { formatQuotaText } from "../../money/quota-text.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import { type Database, tryWrite } from "../../storage/database.ts";
import { computeDay } from "../../storage/rollups.ts";
import { composeLowBalanceMail, mailLanguage } from "./mail-messages.ts";
import { readMailSite } from "./mail-outbox.ts";
import type { Mailer } from "./mailer.ts";

/** Per run; the others follow in the next runs. */
const remindersMax = 50;

interface LowBalanceDeps {
  db: Database;
  options: OptionReader;
  mailer: Mailer;
  publicUrl: string | undefined;
}

/**
 * Considers only users with calls today or yesterday: a balance falls by calls, and the roll-ups
 * list their users.
 */
export async function remindLowBalance(deps: LowBalanceDeps, now: number): Promise<void> {
  const { db, options, mailer } = deps;
  const threshold = options.number("QuotaRemindThreshold");
  if (threshold === 0 || !mailer.isConfigured()) return;
  const hasOwnNotices = buildAlertRuleSettings(options.text("AlertRules"))["wallet.low"].enabled;
  await db.write([purgeRecovered(db, threshold)]);
  for (const { wallet_id, email, language, username, balance } of await db.read(
    selectUnnotifiedWallets(db, { threshold, hasOwnNotices }, now),
  )) {
    const claim = db.sql.insertInto("low_balance_notices").values({ wallet_id, told_at: now });
    // Rejected when another node has claimed this notice.
    if (await tryWrite(db, [{ query: claim, rows: 1 }])) continue;
    // Log rows use a full-width currency sign.
    const left = formatQuotaText(balance, options).normalize("NFKC");
    const reader = { to: email, language: mailLanguage(language) };
    mailer.enqueue("low balance", async () =>
      composeLowBalanceMail(reader, readMailSite(deps), { username, left }),
    );
  }
}

/** `purgeRecovered` gives one look-up per notice: notices are few and wallets many. */
const purgeRecovered = ({ sql }: Database, threshold: number) => ({
  query: sql.deleteFrom("low_balance_notices").where(({ exists, selectFrom }) => {
    const wallet = selectFrom("wallets")
      .select("id")
      .whereRef("wallets.id", "=", "low_balance_notices.wallet_id");
    return exists(wallet.where("balance", ">=", threshold));
  }),
});

function selectUnnotifiedWallets(
  { sql }: Database,
  { threshold, hasOwnNotices }: { threshold: number; hasOwnNotices: boolean },
  now: number,
) {
  // Users who named a destination for this are told there.
  const told = sql
    .selectFrom("destinations")
    .select("user_id")
    .where("verified", "=", 1)
    .where("disabled", "=", 0)
    .where("failing_since", "is", null)
    .where(({ or, eb }) => or([eb("rules", "=", ""), eb("rules", "like", "%wallet.low%")]));
  const notified = sql.selectFrom("low_balance_notices").select("wallet_id");
  return sql
    .selectFrom("users")
    .innerJoin("wallets", "wallets.id", "users.wallet_id")
    .select([
      "users.wallet_id",
      "users.email",
      "users.language",
      "users.username",
      "wallets.balance",
    ])
    .where(
      "users.id",
      "in",
      sql
        .selectFrom("rollup_day_user_model")
        .select("user_id")
        .where("day", ">=", computeDay(now) - 1),
    )
    .where("users.status", "=", userStatus.enabled)
    .where("users.email", "<>", "")
    .where("wallets.balance", "<", threshold)
    .where("users.wallet_id", "not in", notified)
    .$if(hasOwnNotices, (users) => users.where("users.id", "not in", told))
    .where("users.used_quota", ">", 0)
    .limit(remindersMax);
}
