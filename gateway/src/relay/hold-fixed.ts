/** The hold of what costs a fixed amount: a tool, a container. */
import type { CallSnapshot } from "../money/call-log-row.ts";
import { isBudgetRefusal } from "../storage/money-commands.ts";
import { idTime } from "../storage/time-ids.ts";
import type { RelayCaller } from "./admission/api-keys.ts";
import { callBudgetRefused } from "./admission/budget-refusals.ts";
import type { CallTags } from "./admission/call-tags.ts";
import { quotaRefusals } from "./admit-call.ts";
import type { Exchange } from "./exchange.ts";
import type { RelayDeps } from "./relay-deps.ts";
import { RelayRefused } from "./wire/relay-refusal.ts";

interface FixedHold {
  /** Units. */
  amount: number;
  snapshot: CallSnapshot;
  tags?: CallTags | undefined;
}

/** Of a call that no model answers. */
export const fixedCallSnapshot = (
  { model, shownUrl, request, receivedAt }: Pick<Exchange, "model" | "shownUrl" | "request" | "receivedAt">,
  { username, tokenName }: Pick<RelayCaller, "username" | "tokenName">,
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
});

/** Throws `RelayRefused` where wallet, key or a budget do not cover it. */
export async function holdFixed(
  { id, model }: Pick<Exchange, "id" | "model">,
  { walletId, userId, tokenId, isUnlimited }: RelayCaller,
  { amount, snapshot, tags }: FixedHold,
  deps: RelayDeps,
): Promise<void> {
  const at = idTime(id);
  const budgets = deps.budgets.heldBy({ at, tokenId, userId, model, tags: tags?.counted, targets: () => [] });
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
  if (isBudgetRefusal(held)) throw await callBudgetRefused(held, { at, least: amount }, deps);
  // Without a least, storage holds all or nothing.
  throw new RelayRefused(quotaRefusals[typeof held === "number" ? "insufficient_user_quota" : held]);
}
