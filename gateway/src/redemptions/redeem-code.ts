/** Redeeming: looks the code up, lets the database decide who was first, and slows guessing. */
import { createHash } from "node:crypto";
import { logTypes } from "@tollgate/contract/logs.ts";
import { redemptionStatus } from "@tollgate/contract/redemptions.ts";
import type { Caller, Circumstances } from "../http/caller.ts";
import { takeTurn } from "../http/rate-limit.ts";
import { refuse } from "../http/refusal.ts";
import type { Counters } from "../limits/counters.ts";
import { eventRow } from "../logs/event-row.ts";
import { quotaText } from "../money/quota-text.ts";
import type { Options } from "../settings/options.ts";
import type { Database } from "../storage/database.ts";
import type { UserStore } from "../users/user-store.ts";
import { hashCode } from "./redemption-rules.ts";
import type { Redemption, RedemptionStore } from "./redemption-store.ts";

/** Of one user, wherever from. */
const failures = { limit: 5, windowMs: 15 * 60_000 };
/** A code whose quota is edited at this very moment is read again. */
const readsMax = 3;

interface Parts {
  db: Database;
  redemptions: RedemptionStore;
  users: UserStore;
  options: Options;
  counters: Counters;
}

export function redeemWith({ db, redemptions, users, options, counters }: Parts) {
  const pay = async (code: Redemption, { caller, now }: Circumstances & { caller: Caller }, once: string | null) => {
    const account = await users.byId(caller.id);
    if (!account) throw refuse("not_logged_in");
    const id = db.mintId();
    const log = eventRow({
      id,
      type: logTypes.topup,
      user_id: account.id,
      username: account.username,
      quota: code.quota,
      content: `${quotaText(code.quota, options)} by redemption code`,
    });
    const { id: codeId, quota } = code;
    return db.money({
      verb: "redeem",
      id,
      codeId,
      quota,
      walletId: account.wallet_id,
      userId: account.id,
      at: now,
      idempotencyHash: once,
      log,
    });
  };

  /** The quota that was paid. */
  return async (key: string, call: Circumstances & { caller: Caller }): Promise<number> => {
    const { caller } = call;
    const once =
      call.idempotencyKey === undefined ? null : createHash("sha256").update(call.idempotencyKey).digest("hex");
    // Counted before the look-up, so that many guesses at once are no way around the limit.
    const message = "Too many failed redemptions. Please wait and try again";
    const window = { ...failures, name: `redeem ${caller.id}` };
    await takeTurn(counters, window, { message });
    for (let reads = 0; reads < readsMax; reads += 1) {
      const code = await redemptions.byHash(hashCode(key.trim()));
      const isRepeated = once !== null && code?.redeemed_once === once && code.redeemed_by === caller.id;
      if (!code || (code.status !== redemptionStatus.unused && !isRepeated)) break;
      const paid = isRepeated ? "redeemed" : await pay(code, call, once);
      if (paid === "gone") continue;
      counters.refund(window);
      if (paid === "wallet_full") throw refuse("quota_too_high");
      return code.quota;
    }
    throw refuse("redemption_refused");
  };
}
