/**
 * The answer to a client whose call wallet or key do not cover: the amount that it needs, and the
 * rest.
 */
import type { AvailableFunds } from "../../money/holds/hold-forecast.ts";
import type { FundsRefusal } from "../../storage/money-commands.ts";
import { noRetryHeaders, type RelayRefusal, RelayRefused } from "../wire/relay-refusal.ts";
import type { CallerFunds, CallerIdentity } from "./caller-parts.ts";
import { tellDollars } from "./told-dollars.ts";

const ofMoney = {
  status: 403,
  type: "insufficient_quota",
  isOfMoney: true,
  headers: noRetryHeaders,
} as const;

/** `quotaRefusals` are where it is not known yet what the call needs. */
export const quotaRefusals: Record<FundsRefusal, RelayRefusal> = {
  wallet_in_debt: {
    ...ofMoney,
    code: "wallet_in_debt",
    message:
      "The account is in debt: an earlier call cost more than its balance. Add quota to pay the debt; what is left then pays for calls",
  },
  insufficient_user_quota: {
    ...ofMoney,
    code: "insufficient_user_quota",
    message: "The balance does not cover this call",
  },
  pre_consume_token_quota_failed: {
    ...ofMoney,
    code: "pre_consume_token_quota_failed",
    message: "The remaining quota of the API key does not cover this call",
  },
};

/** `RefusedPayer` says whose wallet does not pay. */
export type RefusedPayer = Pick<CallerFunds, "team">;

/**
 * `findQuotaRefusal` is about the wallet of a team: who holds a key of it is told which wallet ran
 * dry.
 */
export function findQuotaRefusal(refusal: FundsRefusal, { team }: RefusedPayer): RelayRefusal {
  if (!team || refusal === "pre_consume_token_quota_failed") return quotaRefusals[refusal];
  const why = {
    wallet_in_debt:
      "is in debt: an earlier call cost more than its balance. Its administrators can add quota",
    insufficient_user_quota: "has too small a balance for this call",
  }[refusal];
  return { ...ofMoney, code: "insufficient_team_quota", message: `The team "${team.name}" ${why}` };
}

/** `needed`: the units that the call starts with. */
export function buildFundsRefusal(
  refusal: FundsRefusal,
  needed: number,
  funds: AvailableFunds,
  payer: RefusedPayer,
): RelayRefused {
  const base = findQuotaRefusal(refusal, payer);
  const isOfTeam = refusal !== "pre_consume_token_quota_failed";
  if (isOfTeam && payer.team?.seesBalance === false) return new RelayRefused(base);
  const left = {
    wallet_in_debt: 0,
    insufficient_user_quota: funds.available,
    pre_consume_token_quota_failed: null,
  };
  const rest = left[refusal] ?? funds.tokenAvailable ?? 0;
  const sums =
    refusal === "wallet_in_debt"
      ? `. It owes ${tellDollars(funds.debt, "up")}`
      : `: it needs ${tellDollars(needed, "up")}, and ${tellDollars(Math.max(0, rest), "down")} is left`;
  return new RelayRefused({ ...base, message: base.message + sums });
}

export interface FundsDeps {
  readFunds(walletId: number, tokenId: number | undefined): Promise<AvailableFunds>;
}

export const refuseForFunds = async (
  refusal: FundsRefusal,
  needed: number,
  {
    walletId,
    tokenId,
    team,
  }: Pick<CallerIdentity, "tokenId"> & Pick<CallerFunds, "walletId" | "team">,
  { readFunds }: FundsDeps,
): Promise<RelayRefused> =>
  buildFundsRefusal(refusal, needed, await readFunds(walletId, tokenId), { team });
