/** The billing endpoints that OpenAI once had, from which chat programs read a balance. */

import { unitsPerDollar } from "../../money/prices/price.ts";
import type { KeyState } from "../admission/caller-parts.ts";
import type { KnownCall, ReplyToClient } from "../exchange-parts.ts";
import type { KeySettings, RelaySettings } from "../relay-settings.ts";
import { authenticateExchange, type CallerDeps, sendJson } from "./json-endpoint.ts";
import type { KeyBalance, ReadBalance } from "./read-balance.ts";

export interface BillingDeps extends CallerDeps {
  settings: KeySettings & Pick<RelaySettings, "showsKeyBalance" | "isShownInCurrency">;
  readBalance: ReadBalance;
}

/** `noLimit` is what compatible servers report for a key without a limit. */
const noLimit = 100_000_000;

export async function showSubscription(
  exchange: KnownCall & ReplyToClient,
  deps: BillingDeps,
): Promise<void> {
  const { caller, balance } = await readCallerBalance(exchange, deps);
  const limit = balance.remain === null ? noLimit : displayed(balance.remain + balance.used, deps);
  sendJson(exchange, {
    object: "billing_subscription",
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: Math.floor((caller.expiredAt ?? 0) / 1000),
  });
}

/** `showUsage` tells cents, or hundredths of a unit. */
export async function showUsage(
  exchange: KnownCall & ReplyToClient,
  deps: BillingDeps,
): Promise<void> {
  const { balance } = await readCallerBalance(exchange, deps);
  sendJson(exchange, { object: "list", total_usage: displayed(balance.used, deps) * 100 });
}

async function readCallerBalance(
  exchange: KnownCall,
  deps: BillingDeps,
): Promise<{ caller: KeyState; balance: KeyBalance }> {
  const caller = await authenticateExchange(exchange, deps);
  const balance = await deps.readBalance(caller, deps.settings.showsKeyBalance() ? "key" : "owner");
  return { caller, balance };
}

const displayed = (units: number, { settings }: BillingDeps): number =>
  settings.isShownInCurrency() ? units / unitsPerDollar : units;
