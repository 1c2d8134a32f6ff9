/**
 * Counts the tokens of a prompt. A channel that speaks the client's format is asked; nothing is
 * held, charged or logged. Without one, and when no channel can answer, the gateway counts itself.
 */

import { authenticate, authorize, requireCredential } from "../admission/authenticate.ts";
import { admitTokenCount } from "../admission/token-limits.ts";
import { refuseWhenOverloaded } from "../call-refusals.ts";
import type { TokenCounting } from "../counting/token-counting.ts";
import type {
  ClientPresence,
  ErrorFormatChoice,
  KnownCall,
  ReplyToClient,
  SentAnswer,
} from "../exchange-parts.ts";
import type { TokenCounter } from "../formats/api-format.ts";
import type { AskedSize } from "../formats/call-parts.ts";
import { findTokenCount } from "../formats/usage/reported-usage.ts";
import type { Guards } from "../guards/guards.ts";
import type { CallStates } from "../provider-states/provider-states.ts";
import type { SendableCall } from "../providers/upstream-request.ts";
import { readRequest } from "../read-request.ts";
import { buildChargedByModel, type ReadingDeps, refuseUnpaidCall } from "../refuse-unpaid.ts";
import type { EstimateSettings, RoutingSettings } from "../relay-settings.ts";
import { buildRoutingRequest, type RoutingDeps, routeCall } from "../route-call.ts";
import type { ChannelCandidate } from "../routing/choose-channels.ts";
import type { ObjectRequestDeps } from "../stored-files/admit-object-request.ts";
import { placeCall } from "../try-channels.ts";
import { type SendDeps, send } from "../upstream/send.ts";
import { RelayRefused } from "../wire/relay-refusal.ts";

export type CountTokensDeps = ObjectRequestDeps &
  ReadingDeps &
  RoutingDeps &
  SendDeps & {
    settings: RoutingSettings & EstimateSettings;
    guards: Guards;
    providerStates: CallStates;
    tokenCounting: TokenCounting;
  };

const answerMax = 64 * 1024;
/** Statuses that blame the prompt itself: neither another channel nor an estimate would help. */
const requestFaultStatuses = new Set([400, 413, 422]);

/** Throws `RelayRefused`. */
export async function countTokens(
  exchange: KnownCall & ErrorFormatChoice & ReplyToClient & SentAnswer,
  { format, totalField, members }: TokenCounter,
  deps: CountTokensDeps,
  addressModel?: string,
): Promise<void> {
  const { settings, apiKeys } = deps;
  exchange.speak(format.errorFormat);
  refuseWhenOverloaded(deps);
  const { headers, url } = exchange.request;
  const credential = requireCredential(headers, settings.keyPrefix, url, "x-api-key: sk-…");
  const caller = await authenticate(credential, apiKeys, exchange, deps.now());
  const reading = {
    formatFor: () => format,
    isServed: (model: string) => deps.channels.snapshot.channelsBehind(model).length > 0,
    isEstimateRough: settings.isEstimateRough(),
    hasChoice: () => false,
    terms: buildChargedByModel(exchange, deps, addressModel),
  };
  const authorized = authorize(
    caller,
    await readRequest(exchange.request, format, reading),
    deps.channels.snapshot.namesNeeded,
  );
  // Counting costs the operator's guard, and the operator's limit at the provider.
  await refuseUnpaidCall(authorized, caller, deps);
  const call = deps.guards.isOn()
    ? await deps.guards.inspect(authorized, caller, exchange)
    : authorized;
  await admitTokenCount(caller, settings.tokenCountsPerMinute(), deps.counters);
  // Counting costs nothing, whatever the members ask for, and calls no tool.
  const counting = { ...call, costMembers: undefined, neededTools: undefined };
  const state = await deps.providerStates.bind(call, caller, deps.channels.snapshot);
  const routing = { ...buildRoutingRequest(counting, caller, credential.pin, settings), state };
  const choice = await routeCall(routing, deps);
  const counted = await countUpstream(choice.candidates, exchange, call, totalField, deps);
  const tokens =
    counted ??
    (await deps.tokenCounting.count(choice.candidates[0]?.model ?? call.model, call.body))
      ?.prompt ??
    call.promptEstimate;
  const answer = { ...members, [totalField]: tokens };
  exchange.answer(200, "application/json", Buffer.from(JSON.stringify(answer)));
}

/** Asks the first candidate, and the next ones of its kind while there is no answer. */
async function countUpstream(
  candidates: readonly ChannelCandidate[],
  exchange: ClientPresence,
  call: SendableCall & AskedSize,
  total: string,
  deps: SendDeps,
): Promise<number | undefined> {
  for (const candidate of candidates) {
    const { channel, cost } = candidate;
    const isAskable =
      channel.urlsFor(cost.model)[call.client.endpoint] && !channel.provider.cannotCount;
    if (!isAskable || exchange.hasClientLeft) return undefined;
    const forwarded = await send(
      deps,
      placeCall(call, candidate),
      channel,
      cost.model,
      (upstream) => exchange.onClientLeave(() => upstream.abort("the client left")),
    );
    if ("answer" in forwarded) {
      const counted = parseTokens(
        await forwarded.answer.readAll(answerMax).catch(() => Buffer.alloc(0)),
        total,
      );
      if (counted !== undefined) return counted;
    } else if (requestFaultStatuses.has(forwarded.error.status) && !forwarded.error.isCreditLow)
      throw new RelayRefused(forwarded.error.refusal);
  }
  return undefined;
}

function parseTokens(body: Buffer, total: string): number | undefined {
  try {
    return findTokenCount(
      (JSON.parse(body.toString("utf8")) as Readonly<Record<string, unknown>>)[total],
    );
  } catch {
    return undefined;
  }
}
