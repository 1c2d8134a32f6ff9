/** The hold of what costs a fixed amount: a tool, a container. */
import type { CallSnapshot } from "../money/call-log-row.ts";
import type { LiveHolds } from "../money/holds/live-holds.ts";
import { isBudgetRefusal } from "../storage/money-commands.ts";
import { computeIdTime } from "../storage/time-ids.ts";
import { type BudgetStopDeps, callBudgetRefused } from "./admission/budget-refusals.ts";
import type { CallTags } from "./admission/call-tags.ts";
import type { CallerFunds, CallerIdentity } from "./admission/caller-parts.ts";
import { type FundsDeps, refuseForFunds } from "./admission/funds-refusals.ts";
import type { KnownCall } from "./exchange-parts.ts";

export type FixedHoldDeps = BudgetStopDeps & FundsDeps & { holds: Pick<LiveHolds, "open"> };

interface FixedHold {
  /** Units. */
  amount: number;
  snapshot: CallSnapshot;
  tags?: CallTags | undefined;
}

/** `buildFixedCallSnapshot` is about a call that no model answers. */
export const buildFixedCallSnapshot = (
  {
    facts: { model },
    shownUrl,
    request,
    receivedAt,
  }: Pick<KnownCall, "receivedAt" | "request" | "shownUrl" | "facts">,
  { username, tokenName, teamId }: Pick<CallerIdentity, "username" | "teamId" | "tokenName">,
  { bodyBytes, tags }: { bodyBytes: number; tags: CallTags | undefined },
): CallSnapshot => ({
  username,
  token_name: tokenName,
  origin_model_name: model,
  is_stream: false,
  url: shownUrl,
  method: request.method ?? "",
  body_size: bodyBytes,
  received_at: receivedAt,
  ...(tags && { tags: tags.logged }),
  ...(teamId > 0 && { team_id: teamId }),
});

/** Throws `RelayRefused` where wallet, key or a budget do not cover it. */
export async function holdFixed(
  { id, facts: { model } }: Pick<KnownCall, "id" | "facts">,
  caller: CallerIdentity & CallerFunds,
  { amount, snapshot, tags }: FixedHold,
  deps: FixedHoldDeps,
): Promise<void> {
  const { walletId, userId, tokenId, isUnlimited, teamId, memberId } = caller;
  const at = computeIdTime(id);
  const payer = { tokenId, userId, teamId, memberId };
  const budgets = deps.budgets.heldBy({
    ...payer,
    at,
    model,
    tags: tags?.counted,
    targets: () => [],
  });
  const held = await deps.holds.open({
    id,
    walletId,
    userId,
    tokenId,
    tokenIsUnlimited: isUnlimited,
    amount,
    snapshot,
    budgets,
  });
  if (held === "held") return;
  if (isBudgetRefusal(held))
    throw await callBudgetRefused(held, { at, least: amount, caller }, deps);
  // Without a least, storage holds all or nothing.
  const refusal = typeof held === "number" ? "insufficient_user_quota" : held;
  throw await refuseForFunds(refusal, amount, caller, deps);
}
