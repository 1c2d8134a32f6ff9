/**
 * How long a prompt is. A channel that speaks the caller's shape knows it and is asked; nothing is held, charged or
 * logged. Elsewhere, and where nobody can say, our own estimate answers.
 */
import { authenticate, credentialOf } from "./authenticate.ts";
import { authorize } from "./authorize.ts";
import { type Candidate, chooseChannels } from "./choose-channels.ts";
import type { Exchange } from "./exchange.ts";
import { readCall } from "./read-call.ts";
import { type RelayParts, wishFor } from "./relay.ts";
import { denied, Refused } from "./relay-refusal.ts";
import { send } from "./send.ts";
import type { Call, TokenCounter } from "./shapes/shape.ts";
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
  const { settings, keys, channels } = parts;
  exchange.wording = shape.wording;
  const credential = credentialOf(exchange.request.headers, settings.keyPrefix, exchange.request.url);
  if (!credential) throw denied(401, "No API key was given; send it as x-api-key: sk-…");
  const caller = await authenticate(credential, keys, exchange.address, parts.now());
  const read = await readCall(exchange.request, shape, () => shape, settings.isEstimateRough());
  const call = authorize(caller, read);
  const wish = wishFor(call, caller, credential.pin, settings);
  const choice = chooseChannels(wish, channels.snapshot, parts, parts.now(), parts.random);
  const counted = await countedBy(choice.candidates, exchange, call, total, parts);
  const answer = { [total]: counted ?? call.promptEstimate };
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
