/** Redeems a code: the database decides races, and a rate limit slows guessing. */
import { createHash } from "node:crypto";
import { redemptionStatus } from "@tollgate/contract/accounts/redemptions.ts";
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import { enforceLimit } from "../../http/rate-limit.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import type { Counters } from "../../limits/counters.ts";
import { formatQuotaText } from "../../money/quota-text.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import { buildEventRow } from "../../storage/event-row.ts";
import type { UserStore } from "../identity/users/user-store.ts";
import { hashCode } from "./redemption-rules.ts";
import type { RedemptionRow, RedemptionStore } from "./redemption-store.ts";

/** Per user, from any address. */
const failureLimit = { limit: 5, windowMs: 15 * 60_000 };
/** A code whose quota changes between read and payment is read again. */
const readsMax = 3;

interface RedeemDeps {
  db: Database;
  redemptions: RedemptionStore;
  users: UserStore;
  options: OptionReader;
  counters: Counters;
}

export function createRedeem({ db, redemptions, users, options, counters }: RedeemDeps) {
  const pay = async (
    code: RedemptionRow,
    { principal, now }: AuthenticatedContext,
    idempotencyHash: string | null,
  ) => {
    const account = await users.byId(principal.id);
    if (!account) throw refuse("not_logged_in");
    const id = db.mintId();
    const log = buildEventRow({
      id,
      type: logTypes.topup,
      user_id: account.id,
      username: account.username,
      quota: code.quota,
      content: `${formatQuotaText(code.quota, options)} by redemption code`,
      event: { code: "code_redeemed", params: { quota: code.quota } },
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
      idempotencyHash: idempotencyHash,
      log,
    });
  };

  /** Returns the paid quota. */
  return async (key: string, call: AuthenticatedContext): Promise<number> => {
    const { principal } = call;
    const idempotencyHash =
      call.idempotencyKey === undefined
        ? null
        : createHash("sha256").update(call.idempotencyKey).digest("hex");
    // Counted before the look-up, so that concurrent guesses cannot evade the limit.
    const message = "Too many failed redemptions. Please wait and try again";
    const window = { ...failureLimit, name: `redeem ${principal.id}` };
    await enforceLimit(counters, window, { message });
    for (let reads = 0; reads < readsMax; reads += 1) {
      const code = await redemptions.byHash(hashCode(key.trim()));
      const isRepeated =
        idempotencyHash !== null &&
        code?.redeemed_once === idempotencyHash &&
        code.redeemed_by === principal.id;
      if (!code || (code.status !== redemptionStatus.unused && !isRepeated)) break;
      const paid = isRepeated ? "redeemed" : await pay(code, call, idempotencyHash);
      if (paid === "gone") continue;
      counters.refund(window);
      if (paid === "wallet_full") throw refuse("quota_too_high");
      return code.quota;
    }
    throw refuse("redemption_refused");
  };
}
