/** Delivers a reply that is one JSON object. */

import { noUsage } from "../../money/price.ts";
import { sampleOf } from "../counting/text-sample.ts";
import type { Exchange } from "../exchange.ts";
import type { RelayCall, ReplyFacts } from "../formats/api-format.ts";
import { holdsSignedReasoning } from "../formats/rejected-reasoning.ts";
import { type ChargedUsage, chargedUsage, usageNote } from "../formats/reported-usage.ts";
import { readEvents } from "../formats/stream-as-whole.ts";
import { usageDetailsOf } from "../formats/usage-details.ts";
import { usageLimitsFor } from "../formats/usage-limits.ts";
import { opaqueTokens } from "../formats/written-output.ts";
import type { StateKeeper } from "../provider-states/provider-states.ts";
import type { UpstreamPlan } from "../routing/translation-registry.ts";
import { answerError, type UpstreamResponse } from "../upstream/forward.ts";
import { connectionFailed, errorInAnswer, errorInBody, errorInStream } from "../upstream/upstream-error.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { withMembers } from "../wire/json-spans.ts";
import type { CallResult, RespondResult, UpstreamPrice } from "./call-result.ts";
import { uncountedOf } from "./counted-usage.ts";
import { idsNotStored, idsNotStoredRefusal } from "./ids-not-stored.ts";
import { clientLeftResult } from "./respond-passthrough.ts";

const afterBlankLine = /(?<=\n\n)/;
const answerMax = 64 * 1024 * 1024;
const bytesPerToken = 4;

export async function respondWhole(
  exchange: Exchange,
  answer: UpstreamResponse,
  { call, translator, dropped, keeper }: UpstreamPlan,
  cost: UpstreamPrice,
): Promise<RespondResult> {
  let body: Buffer;
  let json: unknown;
  let failedEvent: JsonRecord | undefined;
  try {
    body = await answer.readAll(answerMax);
    const events = readEvents(body);
    // Clients that read such an answer themselves drop a byte order mark; the parser does not.
    json = events
      ? call.upstream.replies.replyFromStream?.(events)
      : JSON.parse(body.toString("utf8").replace(/^\uFEFF/, ""));
    if (events && json !== undefined) body = Buffer.from(JSON.stringify(json));
    if (events) failedEvent = events.find(({ error }) => isRecord(error) || typeof error === "string");
  } catch (error) {
    if (exchange.hasClientLeft) return { result: clientLeftResult() };
    return { error: answerError(error as Error, answer.bytesReceived, "the answer is not whole JSON") };
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return { error: connectionFailed("the answer is not a JSON object") };
  }
  const completedAt = Date.now();
  if (failedEvent) return { error: errorInStream(failedEvent.error) };
  const failure = call.upstream.errorIn?.(json as JsonRecord, call);
  if (failure) return { error: errorInBody(failure) };
  const facts = call.upstream.readReply(json as JsonRecord);
  if (!facts) return { error: errorInAnswer(body) ?? connectionFailed("the reply is not in the expected format") };
  const charged = usageOfWhole(call, facts, cost);
  // A translated list of embeddings shows the estimate as its usage: the charge is what the client reads.
  const statesEstimate = translator !== undefined && facts.usage === undefined && facts.text === "";
  const result: CallResult = {
    outcome: "success",
    usage: charged.usage,
    note: usageNote(charged),
    details: usageDetailsOf(charged),
    ...(!statesEstimate && uncountedOf(charged, () => sampleOf(facts.text), facts.opaqueLength)),
    ...(facts.served && { served: facts.served }),
    ...(call.conversation && holdsSignedReasoning(body) && { isSigned: true }),
    firstContentAt: answer.answeredAt,
    upstreamCompletedAt: completedAt,
  };
  if (keeper && !(await haveIdsBeenKept(keeper, json as JsonRecord))) {
    exchange.refuse(idsNotStoredRefusal);
    const note = [idsNotStored, result.note].filter((part) => part !== "").join("; ");
    return { result: { ...result, outcome: "cut", note } };
  }
  // What a tokenizer must count first is not known yet.
  if (!call.isStream && !result.uncounted) exchange.charge = cost.chargeOf?.(result);
  const events = call.isStream
    ? call.upstream.replies.streamFromReply?.(json as JsonRecord, call.wantsUsage)
    : undefined;
  if (events !== undefined) {
    const translated = translator
      ? events
          .split(afterBlankLine)
          .map((event) => translator.translateEvent(event))
          .join("") + translator.finish()
      : events;
    exchange.openStream(dropped);
    exchange.endStream(Buffer.from(translated));
  } else if (translator) {
    exchange.answer(
      200,
      "application/json",
      Buffer.from(JSON.stringify(translator.translateReply(json as JsonRecord))),
      dropped,
    );
  } else {
    // Not every format names the model in its replies: none is added where there is none.
    const { modelField = "model" } = call.upstream;
    const isRenamed = cost.model !== call.model && modelField in json;
    const shown = isRenamed ? withMembers(body, { [modelField]: JSON.stringify(call.model) }) : body;
    exchange.answer(200, "application/json", shown);
  }
  return { result };
}

async function haveIdsBeenKept(keeper: StateKeeper, json: JsonRecord): Promise<boolean> {
  const ids = keeper.inReply(json);
  if (ids.length === 0) return true;
  return await keeper.keep(ids).then(
    () => true,
    () => false,
  );
}

function usageOfWhole(
  call: RelayCall,
  facts: ReplyFacts,
  { price, isDistrusted = false }: UpstreamPrice,
): ChargedUsage {
  const { usage, text, opaqueLength = 0, extras = {}, images = 0 } = facts;
  const textBytes = Buffer.byteLength(text);
  const limits = usageLimitsFor(call, price, isDistrusted);
  if (call.upstream.usageFor) return call.upstream.usageFor(call, usage, { textBytes, images }, price.rates, limits);
  const output = Math.ceil(textBytes / bytesPerToken) + opaqueTokens(opaqueLength);
  return chargedUsage(usage, { ...noUsage, ...extras, input: call.promptEstimate, output }, limits);
}
