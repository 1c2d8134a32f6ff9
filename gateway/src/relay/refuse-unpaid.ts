/**
 * Refuses callers who can pay for nothing before their calls cost the gateway, the operator's guard
 * or a provider anything. What costs nothing is for them as for all: sites with free models give
 * nobody a balance.
 */
import { listTargets } from "../catalogue/models/virtual-model-rules.ts";
import type { BodyMemoryBudget } from "../http/body-memory-budget.ts";
import { isFreeOfCharge } from "../money/prices/price.ts";
import type { FundsRefusal } from "../storage/money-commands.ts";
import type { CallerFunds, CallerIdentity, CallerReach } from "./admission/caller-parts.ts";
import type { EmptyWallets } from "./admission/empty-wallets.ts";
import { findQuotaRefusal } from "./admission/funds-refusals.ts";
import type { CallNotes, KnownCall, SentAnswer } from "./exchange-parts.ts";
import { readModelBehindAlias } from "./formats/agent-aliases.ts";
import type { AskedModel } from "./formats/call-parts.ts";
import { type BodyTerms, freeTerms, unpaidBodyMax } from "./read-body.ts";
import type { GroupRatioSettings } from "./relay-settings.ts";
import { chooseGroupRatio } from "./route-call.ts";
import { groupServing } from "./routing/channel-groups.ts";
import type { RelayChannelTable } from "./routing/channel-table.ts";
import { findLeadingText } from "./wire/json-spans.ts";
import { isFormType } from "./wire/multipart.ts";
import { type RelayRefusal, RelayRefused } from "./wire/relay-refusal.ts";

interface WalletDeps {
  emptyWallets: EmptyWallets;
}

export interface PaymentDeps extends WalletDeps {
  channels: Pick<RelayChannelTable, "snapshot">;
  settings: GroupRatioSettings;
  now(): number;
}

/**
 * Throws `RelayRefused`, or rejects with it, where the caller's wallet is empty and `isFree` denies
 * that the call costs nothing.
 */
export function refuseUnpaid(
  caller: CallerFunds,
  { emptyWallets }: WalletDeps,
  isFree: () => boolean,
  refusalFor: (refusal: RelayRefusal) => RelayRefusal = (refusal) => refusal,
): void | Promise<void> {
  const check = (refusal: FundsRefusal | undefined): void => {
    if (refusal !== undefined && !isFree())
      throw new RelayRefused(refusalFor(findQuotaRefusal(refusal, caller)));
  };
  const refusal = emptyWallets.refusalOf(caller.walletId);
  return refusal instanceof Promise ? refusal.then(check) : check(refusal);
}

/**
 * `isFreeModel` says whether calls to the model cost this caller nothing, whichever channel of its
 * groups serves them.
 */
export function isFreeModel(
  model: string,
  caller: CallerIdentity & CallerReach,
  { channels: { snapshot }, settings, now }: PaymentDeps,
): boolean {
  const ratioFor = chooseGroupRatio(caller, settings);
  const routed = snapshot.routed(model);
  const prices = (routed ? listTargets(routed) : [model]).flatMap((target) =>
    snapshot
      .channelsFor(target)
      .filter((channel) => groupServing(channel, caller.groups) !== undefined)
      .map((channel) => snapshot.price(channel, target, ratioFor(channel), now())),
  );
  return (
    prices.length > 0 &&
    prices.every(({ price, frozen }) => frozen.group_ratio === 0 || isFreeOfCharge(price))
  );
}

/** `refuseUnpaidCall` does the same where the models of the call are known. */
export const refuseUnpaidCall = (
  { model, fallbackModels = [] }: Pick<AskedModel, "model" | "fallbackModels">,
  caller: CallerIdentity & CallerReach & CallerFunds,
  deps: PaymentDeps,
): void | Promise<void> =>
  refuseUnpaid(caller, deps, () =>
    [model, ...fallbackModels].every((name) => isFreeModel(name, caller, deps)),
  );

export interface ReadingDeps extends PaymentDeps {
  /** Shared by the request bodies and messages of all users. */
  bodyMemoryBudget: BodyMemoryBudget;
}

/**
 * `buildChargedTerms` is for the body of an endpoint that charges; `isFree` tells by its beginning
 * whether it will cost nothing.
 */
export const buildChargedTerms = (
  exchange: Pick<CallNotes, "facts"> & Pick<SentAnswer, "response">,
  deps: ReadingDeps,
  isFree: (beginning: Buffer, caller: CallerIdentity & CallerReach) => boolean,
): BodyTerms => ({
  ...freeTerms(exchange, deps),
  refuseUnpaid(beginning) {
    const { caller } = exchange.facts;
    if (caller) return refuseUnpaid(caller, deps, () => isFree(beginning, caller), refuseUnread);
  },
});

/**
 * `buildChargedByModel` does the same where the model decides: the one of the address, or else of
 * the body.
 */
export const buildChargedByModel = (
  exchange: KnownCall & SentAnswer,
  deps: ReadingDeps,
  addressModel?: string,
): BodyTerms =>
  buildChargedTerms(exchange, deps, (beginning, caller) => {
    const named = addressModel ?? findModel(beginning, exchange.request.headers["content-type"]);
    if (named === undefined) return false;
    const isServed = (model: string): boolean =>
      deps.channels.snapshot.channelsBehind(model).length > 0;
    return isFreeModel(readModelBehindAlias(named, isServed), caller, deps);
  });

const refuseUnread = (refusal: RelayRefusal): RelayRefusal => ({
  ...refusal,
  message: `${refusal.message}. Such an account may send more than ${unpaidBodyMax / 1024} KiB only for a model that costs nothing, named at the beginning of the body`,
  closesConnection: true,
});

function findModel(beginning: Buffer, contentType = ""): string | undefined {
  if (!isFormType(contentType)) return findLeadingText(beginning, "model");
  return modelField.exec(beginning.toString("latin1"))?.[1];
}

const modelField = /\bname="?model"?\r\n(?:[^\r\n]+\r\n)*\r\n([^\r\n]{1,200})\r\n/;
