/**
 * How long a prompt is. A channel that speaks the caller's shape knows it and is asked; nothing is held, charged or
 * logged. Elsewhere, and where nobody can say, we count ourselves.
 */
import { authenticate, credentialOf } from "./authenticate.ts";
import { authorize } from "./authorize.ts";
import type { Candidate } from "./choose-channels.ts";
import type { Exchange } from "./exchange.ts";
import { readCall } from "./read-call.ts";
import { choiceFor, type RelayParts, refuseWhenShort, wishFor } from "./relay.ts";
import { denied, Refused } from "./relay-refusal.ts";
import { send } from "./send.ts";
import type { Call, TokenCounter } from "./shapes/shape.ts";
import { admitCounting } from "./token-limits.ts";
import { tokenCount } from "./usage.ts";

const answerMax = 64 * 1024;
/** What a provider finds wrong with the prompt itself: no other one and no estimate would make it right. */
const faultsOfTheCall = new Set([400, 413, 422]);

/** Throws `Refused`. */
export async function countTokens(
  exchange: Exchange,
  { shape, total }: TokenCounter,
  parts: RelayParts,
): Promise<void> {
  const { settings, keys } = parts;
  exchange.wording = shape.wording;
  refuseWhenShort(parts);
  const credential = credentialOf(exchange.request.headers, settings.keyPrefix, exchange.request.url);
  if (!credential) throw denied(401, "No API key was given; send it as x-api-key: sk-…");
  const caller = await authenticate(credential, keys, exchange.address, parts.now());
  const reading = {
    shapeFor: () => shape,
    isEstimateRough: settings.isEstimateRough(),
    hasChoice: () => false,
    takeRoom: parts.bodyRoom.reserveUntilClosed(exchange.response),
  };
  const read = await readCall(exchange.request, shape, reading);
  const call = authorize(caller, read);
  if (caller.limits) await admitCounting(caller.tokenId, caller.limits, parts.counters);
  const wish = wishFor(call, caller, credential.pin, settings);
  const choice = await choiceFor(wish, parts);
  const counted = await countedBy(choice.candidates, exchange, call, total, parts);
  const tokens = counted ?? (await parts.counting.count(call.model, call.body))?.prompt ?? call.promptEstimate;
  const answer = { [total]: tokens };
  exchange.answer(200, "application/json", Buffer.from(JSON.stringify(answer)));
}

/** By the first candidate, or by the next ones of its kind while it does not answer. */
async function countedBy(
  candidates: readonly Candidate[],
  exchange: Exchange,
  call: Call,
  total: string,
  parts: RelayParts,
): Promise<number | undefined> {
  for (const { channel, cost } of candidates) {
    const isAskable = channel.urlsFor(cost.model)[call.shape.entry] && !channel.provider.cannotCount;
    if (!isAskable || exchange.hasLeft) return undefined;
    const forwarded = await send(parts, call, channel, cost.model, (upstream) =>
      exchange.onLeave(() => upstream.abort("the client left")),
    );
    if ("answer" in forwarded) {
      const counted = tokensIn(await forwarded.answer.whole(answerMax).catch(() => Buffer.alloc(0)), total);
      if (counted !== undefined) return counted;
    } else if (faultsOfTheCall.has(forwarded.trouble.status)) throw new Refused(forwarded.trouble.refusal);
  }
  return undefined;
}

function tokensIn(body: Buffer, total: string): number | undefined {
  try {
    return tokenCount((JSON.parse(body.toString("utf8")) as Readonly<Record<string, unknown>>)[total]);
  } catch {
    return undefined;
  }
}
